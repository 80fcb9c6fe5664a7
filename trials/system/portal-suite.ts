/** What people do in the portal with money, exports and mails, through every service that takes part. `trials/browser` has the rest. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  balanceReply,
  cardTopUpReply,
  invoicesReply,
  statementReply,
} from '@offer-ads/contracts/internal/billing-api';
import { allMails } from '@offer-ads/testing/all-mails';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { advertiser, offerForm } from '../harness/advertiser.ts';
import { mailsTo, payAsAPersonWould } from '../harness/simulators.ts';
import type { SoonOver } from '../harness/soon-over.ts';
import type { TestSystem } from '../harness/test-system.ts';
import { signedIn } from '../harness/visitor.ts';

type Exported = { readonly pictures: number; readonly pdfs: number };
type ExportManifest = { readonly attachments: readonly { readonly file: string; readonly sha256: string }[] };

export function describePortal(system: () => TestSystem, over: () => SoonOver): void {
  describe('the portal', () => {
    const demoOrganisation = () => system().state().organisations[0]!;

    it('tops the balance up by card: the page, the balance, a line of the statement, an invoice to read and to keep, and a credit note of a refund', async () => {
      const { adminEmail } = demoOrganisation();
      const admin = await signedIn(system(), adminEmail);
      const before = balanceReply.parse((await admin('GET', '/live/balance')).body).balanceMinor;
      const opened = await admin('POST', '/live/billing/top-ups', { amountMinor: '12345' });
      const topUp = cardTopUpReply.parse(opened.body);
      expect(topUp).toMatchObject({ netMinor: '12345', vatMinor: '2469' });
      const sessionId = await payAsAPersonWould(topUp.paymentUrl);
      await eventually(async () => {
        const { balanceMinor } = balanceReply.parse((await admin('GET', '/live/balance')).body);
        expect(BigInt(balanceMinor) - BigInt(before)).toBe(123_45n);
      });
      const statement = statementReply.parse((await admin('GET', '/live/billing/statement')).body);
      expect(statement.entries).toContainEqual(
        expect.objectContaining({ cause: `card top-up ${topUp.topUpId}`, amountMinor: '12345' }),
      );
      const { invoices } = invoicesReply.parse((await admin('GET', '/live/billing/invoices')).body);
      const invoice = invoices.find(({ kind, netMinor }) => kind === 'top-up' && netMinor === '12345');
      expect(invoice).toMatchObject({ grossMinor: '14814', number: expect.stringMatching(/^INV-/) });
      const file = (type: string) => admin('GET', `/live/billing/invoices/${invoice?.number}.${type}`);
      expect((await file('html')).body).toMatch(/GBP\s148\.14/);
      expect((await file('pdf')).body).toMatch(/^%PDF-/);
      await eventually(async () => {
        const mails = await mailsTo(system(), adminEmail);
        const told = mails.find(({ subject }) => /^GBP\s123\.45 added/.test(subject));
        expect(told?.text).toMatch(/Paid by: Card[^]*VAT: GBP\s24\.69\nTotal paid: GBP\s148\.14/);
      });
      const refund = `${system().state().stripeSimulator}/sim/sessions/${sessionId}/refund`;
      expect((await fetch(refund, { method: 'POST' })).ok).toBe(true);
      const note = await eventually(async () => {
        const listed = invoicesReply.parse((await admin('GET', '/live/billing/invoices')).body).invoices;
        const found = listed.find(({ invoiceNumber }) => invoiceNumber === invoice?.number);
        expect(found).toMatchObject({ document: 'credit-note', netMinor: '12345', vatMinor: '2469' });
        return found;
      });
      const page = await admin('GET', `/live/billing/invoices/${note?.number}.html`);
      expect(page.body).toMatch(/Credit note[^]*GBP\s148\.14/);
    });

    it('is exported with the pictures of its offers and the PDFs of its invoices, each as its hash says', async () => {
      const { id, keys } = demoOrganisation();
      const bought = await advertiser(system(), keys.TEST).create(await offerForm());
      expect(bought.body.return_code).toBe('S1');
      const folder = join(mkdtempSync(join(tmpdir(), 'org-export-')), 'org');
      try {
        const exported = await system().admin<Exported>('org', 'export', `${id}`, '--folder', folder);
        expect(exported).toMatchObject({ complete: true });
        const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as ExportManifest;
        expect(manifest).toMatchObject({ complete: true, missing: [] });
        const types = manifest.attachments.map(({ file, sha256 }) => {
          const bytes = readFileSync(join(folder, file));
          expect([file, createHash('sha256').update(bytes).digest('hex')]).toEqual([file, sha256]);
          return bytes.subarray(0, 5).toString() === '%PDF-' ? 'pdf' : 'picture';
        });
        expect(exported.pictures).toBeGreaterThan(0);
        expect(exported.pdfs).toBeGreaterThanOrEqual(2);
        expect(types.filter((type) => type === 'picture')).toHaveLength(exported.pictures);
        expect(types.filter((type) => type === 'pdf')).toHaveLength(exported.pdfs);
      } finally {
        rmSync(join(folder, '..'), { recursive: true });
      }
    });

    it('ends mails about ended offers by the link in one, for whoever holds it, until the person says otherwise', async () => {
      const { adminEmail } = over().organisation;
      const mail = await eventually(
        async () => {
          const mails = await mailsTo(system(), adminEmail);
          const ended = mails.find(({ subject }) => subject.includes('Offer ended: “Soon over”'));
          if (ended === undefined) throw new Error('no mail of the end yet');
          return ended;
        },
        { timeoutMs: 120_000 },
      );
      const link = /^<(http[^>]+\/portal\/unsubscribe\/[^>]+)>$/.exec(
        mail.headers['list-unsubscribe'] ?? '',
      )?.[1];
      if (link === undefined) throw new Error('the mail has no link to unsubscribe');
      expect(mail.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
      expect(mail.text).toContain(link);

      const admin = await signedIn(system(), adminEmail);
      await eventually(async () =>
        expect(await (await fetch(link)).text()).toContain('<form method="post">'),
      );
      expect((await admin('GET', '/mail-preferences')).body).toEqual(allMails);
      // A mailbox provider repeats its request after a 503; a repeated request changes nothing.
      await eventually(async () => {
        const posted = await fetch(link, {
          method: 'POST',
          body: new URLSearchParams('List-Unsubscribe=One-Click'),
        });
        expect([posted.status, await posted.text()]).toEqual([
          200,
          expect.stringContaining('You get no more mails'),
        ]);
      });
      expect((await admin('GET', '/mail-preferences')).body).toEqual({ ...allMails, offerEnded: false });
      expect(await admin('PUT', '/mail-preferences', allMails)).toMatchObject({
        status: 200,
        body: allMails,
      });
    }, 300_000);
  });
}
