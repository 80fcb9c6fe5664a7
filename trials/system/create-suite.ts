/** POST /offers through the gateway: what needs several services, and that a refusal leaves nothing behind. Each row of the table of codes is a test of offers. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createReply, refusal } from '@offer-ads/contracts/public/api';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { unsafeLookingPng } from '@offer-ads/testing/pictures/unsafe-picture';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import {
  type Advertiser,
  advertiser,
  demoOrganisation,
  hourMs,
  inFuture,
  london,
  midAtlantic,
  minuteMs,
  newOrganisation,
  type Organisation,
  offerForm,
  unusedAddress,
} from '../harness/advertiser.ts';
import { setFaults } from '../harness/simulators.ts';
import { query } from '../harness/sql.ts';
import type { TestSystem } from '../harness/test-system.ts';

export function describeCreation(system: () => TestSystem): void {
  describe('POST /offers', () => {
    let organisation: Organisation;
    /** For tests that look at its whole balance, and for the quota of one offer. */
    let buyer: Organisation;
    let small: Organisation;
    let caller: Advertiser;
    const withSmallQuota = async () => {
      const made = await newOrganisation(system());
      const quota = ['--per-org', '1', '--per-person', '1'];
      await system().admin('org', 'quota', '--org', String(made.id), '--mode', 'test', ...quota);
      return made;
    };
    beforeAll(async () => {
      [organisation, buyer, small] = await Promise.all([
        newOrganisation(system()),
        newOrganisation(system()),
        withSmallQuota(),
      ]);
      caller = advertiser(system(), organisation.key);
    });

    const balance = ({ id }: Organisation) => system().balance(id);
    const listed = async () => (await caller.request('GET', '/offers?environment=test&limit=100')).body.data;
    /** A refused request must change nothing. */
    async function expectRefusal(
      attempt: () => ReturnType<Advertiser['create']>,
      expected: { http: number; code: string; says?: string | RegExp },
    ): Promise<void> {
      const before = { balance: await balance(organisation), offers: (await listed()).length };
      const { status, body } = await attempt();
      expect(refusal.parse(body)).toMatchObject({ return_code: expected.code, code: expected.http });
      expect(status).toBe(expected.http);
      if (expected.says !== undefined) expect(body.message).toMatch(expected.says);
      expect({ balance: await balance(organisation), offers: (await listed()).length }).toEqual(before);
    }

    /**
     * Starts in an hour. If it started now, a slow creation would be credited for the seconds in which it did not run, and that would
     * change the balance between two readings.
     */
    const laterForm = (changes: Parameters<typeof offerForm>[0] = {}) =>
      offerForm({
        start_datetime: inFuture(hourMs),
        expiry_datetime: inFuture(2 * hourMs),
        ...changes,
      });

    it('S1 by balance: Active at once, and the price is gone from the balance', async () => {
      const { status, body } = await advertiser(system(), buyer.key).create(await offerForm());
      expect(status).toBe(200);
      expect(createReply.parse(body)).toMatchObject({
        return_code: 'S1',
        status: 'Active',
        payment_url: null,
      });
      expect(Number(await balance(buyer))).toBeLessThan(1_000);
    });

    it('S1 by balance with a start in the future: Scheduled', async () => {
      expect((await caller.create(await laterForm())).body).toMatchObject({
        return_code: 'S1',
        status: 'Scheduled',
      });
    });

    it('S1 by card: Awaiting Payment with a payment link', async () => {
      const form = await offerForm({ payment_method: 'E', expiry_datetime: inFuture(24 * hourMs) });
      const { body } = await caller.create(form);
      expect(createReply.parse(body)).toMatchObject({ status: 'Awaiting Payment', currency: 'GBP' });
      expect(body.payment_url).toMatch(/\/pay\//);
    });

    it('S1 with a quote: the quoted cost is charged; for another offer it is E1 and names what differs', async () => {
      const period = { start: inFuture(hourMs), end: inFuture(3 * hourMs) };
      const { body: quoted } = await caller.json('POST', '/offers/price-estimate', {
        start_datetime: period.start,
        end_datetime: period.end,
        location: london,
        radius: 10,
        gender: ['Female', 'Male'],
        quote: true,
      });
      const form = (changes: Parameters<typeof offerForm>[0] = {}) =>
        offerForm({
          start_datetime: period.start,
          expiry_datetime: period.end,
          'gender[]': ['Male', 'Female'],
          quote_id: quoted.quote_id,
          ...changes,
        });
      const dearer = await form({ radius: '30' });
      await expectRefusal(() => caller.create(dearer), {
        http: 400,
        code: 'E1',
        says: /differs in radius\./,
      });
      const before = Number(await balance(organisation));
      expect((await caller.create(await form())).body).toMatchObject({ status: 'Scheduled' });
      expect(before - Number(await balance(organisation))).toBeCloseTo(quoted.estimated_cost, 5);
    });

    it('a replay returns the original reply, says so, and creates nothing', async () => {
      const fields = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(2 * hourMs) };
      const first = await caller.create(await offerForm(fields), 'replayed-key');
      const paid = await balance(organisation);
      const second = await caller.create(await offerForm(fields), 'replayed-key');
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(await balance(organisation)).toBe(paid);
    });

    it.each<[what: string, changes: Parameters<typeof offerForm>[0], field: string]>([
      ['an unknown interest', { 'interests[]': ['987654'] }, 'interests'],
      ['an image of 10 MB', { image: new Blob([new Uint8Array(10_000_000)]) }, 'image'],
    ])('E1 400 names the field: %s', async (_what, changes, field) => {
      const form = await offerForm(changes);
      await expectRefusal(() => caller.create(form), { http: 400, code: 'E1', says: field });
    });

    it("E1 400: a card payment below the provider's minimum; the message gives the minimum", async () => {
      const form = await offerForm({ payment_method: 'E', expiry_datetime: inFuture(2 * minuteMs) });
      await expectRefusal(() => caller.create(form), { http: 400, code: 'E1', says: '0.30' });
    });

    it('a verdict that is wrong is corrected by a person, and the next creation follows it', async () => {
      const picture = await photographLikeJpeg({ seed: 77 });
      const create = async () =>
        (await caller.create(await laterForm({ image: new Blob([new Uint8Array(picture)]) }))).body;
      const hash = createHash('sha256').update(picture).digest('hex');
      const decide = (action: string) =>
        system().admin('moderation', action, hash, '--reason', `to ${action} it`);
      expect(await create()).toMatchObject({ return_code: 'S1' });
      await decide('block');
      expect(await create()).toMatchObject({
        return_code: 'E2',
        message: 'The image failed moderation: the picture is blocked',
      });
      const filters = ['--verdict', 'refused', '--org', String(organisation.id)];
      const { pictures } = await system().admin<{ pictures: object[] }>('moderation', 'list', ...filters);
      expect(pictures[0]).toMatchObject({ contentHash: hash, reason: 'blocked' });
      await decide('allow');
      expect(await create()).toMatchObject({ return_code: 'S1' });
      const { history } = await system().admin<{ history: object[] }>('moderation', 'show', hash);
      expect(history).toMatchObject([
        { by: 'staff', decision: 'allow', reason: 'to allow it' },
        { by: 'staff', decision: 'block', reason: 'to block it' },
        { by: expect.stringContaining('nsfwjs'), decision: 'allowed' },
      ]);
    });

    it.each([
      ['always-allowed.png', { return_code: 'S1' }],
      [
        'always-refused.jpg',
        { return_code: 'E2', message: expect.stringMatching(/^The image failed moderation/) },
      ],
    ])('the published test picture %s has the answer that is published', async (name, answer) => {
      const file = readFileSync(new URL(`../../docs/test-pictures/${name}`, import.meta.url));
      const form = await laterForm({ image: new Blob([new Uint8Array(file)]) });
      expect((await caller.create(form)).body).toMatchObject(answer);
    });

    it.each([
      ['JSON instead of a form', '{}', 'application/json'],
      [
        'a form that breaks off',
        '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx',
        'multipart/form-data; boundary=b',
      ],
    ])('E1 400: %s', async (_what, body, contentType) => {
      const headers = { 'content-type': contentType, 'idempotency-key': 'broken-form' };
      await expectRefusal(() => caller.request('POST', '/offers', { body, headers }), {
        http: 400,
        code: 'E1',
      });
    });

    it('E2 200: the image fails moderation; with another one the same key creates the offer', async () => {
      const form = await offerForm({ image: new Blob([new Uint8Array(await unsafeLookingPng())]) });
      await expectRefusal(() => caller.create(form, 'not-this-image'), { http: 200, code: 'E2' });
      const { body } = await caller.create(await laterForm(), 'not-this-image');
      expect(body.return_code).toBe('S1');
    });

    it("E3 200: balance below the offer's cost", async () => {
      const poor = await newOrganisation(system(), { balance: '0' });
      const { status, body } = await advertiser(system(), poor.key).create(await offerForm());
      expect({ status, code: body.return_code }).toEqual({ status: 200, code: 'E3' });
      expect(await balance(poor)).toBe('0.00');
    });

    it('E4 400: quota exceeded; the message gives limit and use', async () => {
      const limited = advertiser(system(), small.key);
      expect((await limited.create(await laterForm())).body.return_code).toBe('S1');
      const paid = await balance(small);
      const { status, body } = await limited.create(await laterForm());
      expect({ status, code: body.return_code }).toEqual({ status: 400, code: 'E4' });
      expect(body.message).toContain('1');
      expect(await balance(small)).toBe(paid);
    });

    it('E5 400: no users match the targeting', async () => {
      const form = await offerForm({ 'location[]': midAtlantic.map(String) });
      await expectRefusal(() => caller.create(form), { http: 400, code: 'E5' });
    });

    it('E6 400: the billing currency cannot be billed; the message names it', async () => {
      const { key } = demoOrganisation(system(), 'JPY');
      const { status, body } = await advertiser(system(), key).create(await offerForm());
      expect({ status, code: body.return_code }).toEqual({ status: 400, code: 'E6' });
      expect(body.message).toContain('JPY');
      expect(body.message).toContain('not charged');
    });

    it("E6 400: the billing currency's rate is out of date", async () => {
      const { key } = demoOrganisation(system(), 'USD');
      try {
        await setFaults(system(), 'rates', { staleDays: 10 });
        await system().admin('rates', 'refresh');
        const { status, body } = await advertiser(system(), key).create(await offerForm());
        expect({ status, code: body.return_code }).toEqual({ status: 400, code: 'E6' });
        expect(body.message).toMatch(/USD.*not charged/);
      } finally {
        await setFaults(system(), 'rates', {});
        await system().admin('rates', 'refresh');
      }
    });

    it('E9 403: terms not accepted; accepted, the same key creates the offer', async () => {
      const newcomer = await newOrganisation(system(), { terms: false });
      const advertising = advertiser(system(), newcomer.key);
      const fields = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(2 * hourMs) };
      const refused = await advertising.create(await offerForm(fields), 'terms-first');
      expect({ status: refused.status, code: refused.body.return_code }).toEqual({ status: 403, code: 'E9' });
      await system().admin('terms', 'accept', '--org', String(newcomer.id));
      // What the gateway knows of a key may be a second old (decision 25, revoked on every replica).
      await eventually(async () => {
        const accepted = await advertising.create(await offerForm(fields), 'terms-first');
        expect(accepted.body.return_code).toBe('S1');
      });
    });

    it('409 while the first is in flight, one offer and one charge in the end', async () => {
      /** Returns how many requests were answered 409. */
      const atOnce = async (key: string): Promise<number> => {
        const fields = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(2 * hourMs) };
        const forms = await Promise.all(Array.from({ length: 8 }, () => offerForm(fields)));
        const before = (await listed()).length;
        const replies = await Promise.all(forms.map((form) => caller.create(form, key)));
        const created = replies.filter(({ body }) => body.return_code === 'S1');
        expect(new Set(created.map(({ body }) => body.offer_id)).size).toBe(1);
        const others = replies.filter(({ body }) => body.return_code !== 'S1');
        for (const { status, headers } of others) {
          expect({ status, retry: headers.get('retry-after') }).toEqual({ status: 409, retry: '1' });
        }
        expect(await listed()).toHaveLength(before + 1);
        return others.length;
      };
      // If the machine stops for a moment, the others arrive after the first has finished.
      let met = 0;
      for (let round = 1; met === 0 && round <= 3; round += 1) met = await atOnce(`all-at-once-${round}`);
      expect(met).toBeGreaterThan(0);
    });

    it('429 over the limit: nothing is created and the Idempotency-Key is still free', async () => {
      const eager = advertiser(system(), organisation.key, { address: unusedAddress() });
      const before = (await listed()).length;
      await Promise.all(Array.from({ length: 60 }, () => eager.request('GET', '/categories')));
      const form = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(2 * hourMs) };
      const { status, body, headers } = await eager.create(await offerForm(form), 'over-the-limit');
      expect({ status, body }).toEqual({ status: 429, body: { message: 'Too many requests' } });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await listed()).toHaveLength(before);
      // From another address, instead of waiting for a minute.
      const later = await caller.create(await offerForm(form), 'over-the-limit');
      expect({ code: later.body.return_code, replayed: later.headers.get('idempotent-replayed') }).toEqual({
        code: 'S1',
        replayed: null,
      });
    });

    it('500 when something of ours is broken: nothing charged, and the same key goes on afterwards', async () => {
      const paid = await balance(organisation);
      const form = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(2 * hourMs) };
      await query(system().stores.databases.offers, 'ALTER TABLE categories RENAME TO categories_away');
      const attempt = async () => caller.create(await offerForm(form), 'while-broken');
      let broken: Awaited<ReturnType<typeof attempt>>;
      try {
        broken = await attempt();
      } finally {
        await query(system().stores.databases.offers, 'ALTER TABLE categories_away RENAME TO categories');
      }
      expect({ status: broken.status, body: broken.body }).toEqual({
        status: 500,
        body: { message: 'Internal server error' },
      });
      expect(await balance(organisation)).toBe(paid);
      expect((await attempt()).body.return_code).toBe('S1');
    });
  });
}
