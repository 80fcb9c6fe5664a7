/** What staff decide once for all, and the console when a service is away or a session has ended. */
import { expect, it } from '@jest/globals';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Page } from 'playwright-core';
import { advertiser, hourMs, inFuture, newOrganisation, offerForm } from '../../harness/advertiser.ts';
import { payAsAPersonWould, setFaults } from '../../harness/simulators.ts';
import type { TestSystem } from '../../harness/test-system.ts';
import { auditOf, signInHere, staffConsole } from './console-staff.ts';
import { faultsOf, type Portal } from './portal-under-test.ts';

type CardProblems = { readonly reversals: readonly { readonly id: string; readonly taken: boolean }[] };

export function walksOfDecisions(portal: () => Portal): void {
  it.concurrent('a rate that jumped is used only once one of two people accepts it', async () => {
    const { system, visitor } = portal();
    await using ann = await portal().visitor();
    await using staff = await staffConsole(system);
    await using bo = await visitor();
    await setFaults(system, 'rates', { factors: { USD: 1.3 } });
    await staff.open(ann, 'ann', '/rates');
    const used = async (page: Page) => page.getByRole('row', { name: /^USD/ }).last().innerText();
    await ann.page.getByRole('heading', { name: 'In use' }).waitFor();
    const before = await used(ann.page);
    await ann.page.getByRole('button', { name: 'Ask the bank now' }).click();
    const accept = { name: /^Accept the fixing of [-\d]+ …$/ };
    await ann.page.getByRole('button', accept).waitFor();
    expect(await used(ann.page)).toBe(before);
    expect(await faultsOf(ann.page, 'console-rate-jump')).toEqual([]);

    await staff.open(bo, 'bo', '/rates');
    for (const { page } of [bo, ann]) await page.getByRole('button', accept).click();
    const date = /[-\d]{10}/.exec(await ann.page.getByRole('dialog').innerText())?.[0] ?? '';
    await decide(ann.page, { reason: 'devalued overnight', submit: 'Accept it' });
    await ann.page.getByText(`The fixing of ${date} is in use.`).waitFor();
    await eventually(async () => expect(await used(ann.page)).not.toBe(before));
    await decide(bo.page, { reason: 'it is true', submit: 'Accept it' });
    await bo.page.getByText(/Meanwhile ann has decided about this.*devalued overnight/).waitFor();
    await eventually(() => {
      const calls = auditOf(system, 'pricing').filter(({ path }) => path === '/admin/rates/refresh');
      expect(calls).toContainEqual(
        expect.objectContaining({ actor: 'ann', status: 200, reason: 'devalued overnight' }),
      );
    });
    await setFaults(system, 'rates', {});
    await system.admin('rates', 'refresh', `--accept-jump=${date}`);
  });

  it.concurrent('two people decide who bears a refund and a dispute, each once', async () => {
    const { system, visitor } = portal();
    await using ann = await portal().visitor();
    await using staff = await staffConsole(system);
    await using bo = await visitor();
    const { id, key } = await newOrganisation(system);
    const [refund, dispute] = await takenBack(system, key);
    const row = (page: Page, reversal: string) => page.getByRole('row').filter({ hasText: reversal });
    const decideHere = { name: 'Decide …' };
    await eventually(async () => {
      const { reversals } = await system.admin<CardProblems>('card', 'problems');
      const decidable = reversals.filter(({ taken }) => taken).map((reversal) => reversal.id);
      expect(decidable).toEqual(expect.arrayContaining([refund, dispute]));
    });
    await staff.open(ann, 'ann', '/cards');
    await staff.open(bo, 'bo', '/cards');

    for (const { page } of [ann, bo]) await row(page, refund).getByRole('button', decideHere).click();
    expect(await faultsOf(ann.page, 'console-card-decision')).toEqual([]);
    await ann.page.getByLabel('The platform').check();
    await decide(ann.page, { reason: 'our mistake', submit: 'Decide' });
    await row(ann.page, refund).getByText('the platform, as ann decided: our mistake').waitFor();
    await bo.page.getByLabel('The prepaid balance').check();
    await decide(bo.page, { reason: 'theirs', submit: 'Decide' });
    await bo.page.getByText(/Meanwhile ann has decided about this.*our mistake/).waitFor();
    // Sent a second time, the decision is refused by billing, which stores it for ever.
    await decide(bo.page, { reason: 'theirs', submit: 'Decide' });
    await bo.page.getByText(/It was settled by ann on .*, borne by the platform/).waitFor();
    await bo.page.getByRole('button', { name: 'Cancel' }).click();
    expect(await system.balance(id)).toBe('1000.00');

    await row(bo.page, dispute).getByRole('button', decideHere).click();
    await bo.page.getByLabel('The prepaid balance').check();
    await decide(bo.page, { reason: 'as the contract says', submit: 'Decide' });
    await row(bo.page, dispute).getByText('the balance, as bo decided: as the contract says').waitFor();
    expect(await system.balance(id)).toBe('999.50');
    expect(await faultsOf(bo.page, 'console-cards-decided')).toEqual([]);
    await eventually(() => {
      const calls = auditOf(system, 'billing').filter(({ path }) => path === '/admin/card-problems/settle');
      expect(calls.slice(-3).map(({ actor, status, reason }) => [actor, status, reason])).toEqual([
        ['ann', 200, 'our mistake'],
        ['bo', 409, 'theirs'],
        ['bo', 200, 'as the contract says'],
      ]);
    });
  });

  it.concurrent('staff are told which service does not answer, and go on with the others', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    await using moderation = await startTcpProxy(system.adminSettings()['MODERATION_ADMIN_URL'] ?? '');
    await using staff = await staffConsole(system, { MODERATION_ADMIN_URL: moderation.url });
    const { page } = visitor;
    await staff.open(visitor, 'ann', '/pictures');
    await page.getByRole('navigation', { name: 'Kinds of pictures' }).waitFor();
    moderation.takeDown();
    await page.getByRole('link', { name: 'Refused', exact: true }).click();
    await page.getByText('The service moderation does not answer').waitFor();
    expect(await faultsOf(page, 'console-service-down')).toEqual([]);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page
      .getByRole('row', { name: /^moderation/ })
      .getByText('does not answer')
      .waitFor();
    await page.getByRole('link', { name: 'Organisations' }).click();
    await page.getByRole('columnheader', { name: 'Trades as' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByText('The service moderation does not answer').waitFor();
    moderation.bringBack();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The service moderation does not answer').waitFor({ state: 'detached' });
    await page
      .getByText(/explicit|There is no such picture/)
      .first()
      .waitFor();
  });

  it.concurrent('staff whose session has ended sign in again where they were', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    await using staff = await staffConsole(system);
    const { page } = visitor;
    await staff.open(visitor, 'bo', '/offers');
    // The last request of this page was answered: one after the end would show it before the click.
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' });
    staff.advance(31 * 60_000);
    await page.getByRole('link', { name: 'Parked events' }).click();
    await page.getByText('Your session has ended').waitFor();
    expect(await faultsOf(page, 'console-session-ended')).toEqual([]);
    await signInHere(visitor, 'bo');
    await page.getByRole('heading', { name: 'Parked events', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Emergency token').waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
  });
}

/** Fills in the open dialog and sends it. */
async function decide(page: Page, { reason, submit }: { reason: string; submit: string }): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: submit }).click();
}

/** Pays two offers by card. Half a pound of one is refunded, and of the other disputed; returns the provider's ids of both. */
async function takenBack(system: TestSystem, key: string): Promise<[refund: string, dispute: string]> {
  const paid = async (title: string) => {
    // It starts in an hour: a running offer is credited the seconds until its payment, so the balance would be pennies more.
    const period = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(2 * hourMs) };
    const form = await offerForm({ payment_method: 'E', title, ...period });
    return payAsAPersonWould((await advertiser(system, key).create(form)).body.payment_url);
  };
  const take = async (session: string, how: 'refund' | 'dispute') => {
    const reply = await fetch(`${system.state().stripeSimulator}/sim/sessions/${session}/${how}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amountMinor: 50 }),
    });
    return ((await reply.json()) as { id: string }).id;
  };
  return [
    await take(await paid('Paid and refunded'), 'refund'),
    await take(await paid('Paid and disputed'), 'dispute'),
  ];
}
