/** POST /offers through the gateway, where other services decide: each is asked, and its answer is told. Each row of the table of codes is a test of offers. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { refusal } from '@offer-ads/contracts/public/api';
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
  newOrganisation,
  type Organisation,
  offerForm,
} from '../harness/advertiser.ts';
import type { TestSystem } from '../harness/test-system.ts';

export function describeCreation(system: () => TestSystem): void {
  describe('POST /offers', () => {
    let organisation: Organisation;
    let caller: Advertiser;
    beforeAll(async () => {
      organisation = await newOrganisation(system());
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
      const small = await newOrganisation(system());
      const quota = ['--per-org', '1', '--per-person', '1'];
      await system().admin('org', 'quota', '--org', String(small.id), '--mode', 'test', ...quota);
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
  });
}
