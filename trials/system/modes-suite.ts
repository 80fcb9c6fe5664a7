/** TEST and LIVE are separate (specification, Authentication items 4 to 6) in every service that could mix them up. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Advertiser,
  advertiser,
  hourMs,
  inFuture,
  london,
  newOrganisation,
  offerForm,
  topUp,
} from '../harness/advertiser.ts';
import type { TestSystem } from '../harness/test-system.ts';

const modes = ['TEST', 'LIVE'] as const;
type Mode = (typeof modes)[number];
const otherThan = (mode: Mode): Mode => (mode === 'TEST' ? 'LIVE' : 'TEST');

export function describeModes(system: () => TestSystem): void {
  describe('a key of one mode', () => {
    let callers: Record<Mode, Advertiser>;
    let org: string;
    beforeAll(async () => {
      const { id, key } = await newOrganisation(system());
      org = `--org=${id}`;
      const live = await system().admin<{ key: string }>('key', 'create', org, '--mode=live');
      await topUp(system(), id, 'live');
      callers = { TEST: advertiser(system(), key), LIVE: advertiser(system(), live.key) };
    });

    /** The state of both modes, which a refused request must not change. */
    async function standing() {
      const of = async (mode: Mode) => ({
        balance: await system().admin('balance', 'show', org, `--mode=${mode.toLowerCase()}`),
        offers: (await callers[mode].request('GET', `/offers?environment=${mode}&limit=100`)).body.data,
      });
      const [test, live] = await Promise.all([of('TEST'), of('LIVE')]);
      return withoutSignatures({ test, live });
    }

    /** In an hour, so that a slow creation is not credited between two readings of the balance. */
    const later = () => ({ start_datetime: inFuture(hourMs), expiry_datetime: inFuture(2 * hourMs) });

    it.each(modes)(
      'is refused the other environment before anything is created or charged: %s',
      async (mode) => {
        const caller = callers[mode];
        const environment = otherThan(mode);
        const before = await standing();
        const times = later();
        const create = async (key: string, payment_method: string, named: Mode) =>
          caller.create(await offerForm({ ...times, payment_method, environment: named }), key);
        const key = randomUUID();
        const refusals = [
          await create(key, 'B', environment),
          await create(randomUUID(), 'E', environment),
          await caller.request('GET', `/offers?environment=${environment}`),
          await caller.json('POST', '/offers/price-estimate', {
            start_datetime: times.start_datetime,
            end_datetime: times.expiry_datetime,
            location: london,
            radius: 10,
            environment,
          }),
        ];
        for (const { status, body } of refusals) {
          expect({ status, body }).toEqual({
            status: 403,
            body: {
              return_code: 'E1',
              status: 'Error',
              code: 403,
              message: expect.stringContaining(`${mode} mode`),
            },
          });
        }
        expect(await standing()).toEqual(before);
        // The key of the refused creation is still free.
        const created = await create(key, 'B', mode);
        expect(created.body.return_code).toBe('S1');
        expect(created.headers.has('idempotent-replayed')).toBe(false);
      },
    );

    it.each(modes)(
      'does not find offers of the other mode, and changes nothing of them: %s offers',
      async (mode) => {
        const form = await offerForm({ environment: mode, ...later() });
        const { offer_id: offerId } = (await callers[mode].create(form)).body;
        const before = await standing();
        const stranger = callers[otherThan(mode)];
        const refusals = [
          await stranger.request('GET', `/offers/${offerId}`),
          await stranger.request('GET', `/offers/${offerId}/results`),
          await stranger.request('GET', `/offers/${offerId}/changes`),
          await stranger.request('POST', `/offers/${offerId}/pause`),
          await stranger.request('POST', `/offers/${offerId}/resume`),
          await stranger.request('DELETE', `/offers/${offerId}`),
        ];
        for (const { status, body } of refusals) {
          expect({ status, body }).toEqual({
            status: 401,
            body: { return_code: 'E1', status: 'Error', code: 401, message: 'Offer not found' },
          });
        }
        const analytics = await stranger.request('GET', `/offers/${offerId}/analytics?interval=all`);
        expect({ status: analytics.status, body: analytics.body }).toEqual({
          status: 401,
          body: { message: 'Unauthorised' },
        });
        expect(await standing()).toEqual(before);
        const own = await callers[mode].request('POST', `/offers/${offerId}/pause`);
        expect(own.body.return_code).toBe('S1');
      },
    );
  });

  describe('an organisation whose approval was withdrawn', () => {
    it('estimates and buys with made-up members in TEST mode alone, and once approved real ones count in both modes', async () => {
      const { id, key } = await newOrganisation(system());
      const org = `--org=${id}`;
      const live = await system().admin<{ key: string }>('key', 'create', org, '--mode=live');
      const callers = { TEST: advertiser(system(), key), LIVE: advertiser(system(), live.key) };
      const times = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(2 * hourMs) };
      const { start_datetime, expiry_datetime: end_datetime } = times;
      const estimate = (mode: Mode) =>
        callers[mode].json('POST', '/offers/price-estimate', {
          start_datetime,
          end_datetime,
          location: london,
          radius: 10,
        });
      const balance = async () => {
        const shown = await system().admin<{ balance: string }>('balance', 'show', org, '--mode=test');
        return Number(shown.balance);
      };
      /** The price that a TEST offer takes from the balance. */
      const paid = async () => {
        const before = await balance();
        expect((await callers.TEST.create(await offerForm(times))).body.return_code).toBe('S1');
        return (before - (await balance())).toFixed(2);
      };

      await system().admin('org', 'withdraw-approval', org, '--reason=It is in no register.');
      const madeUp = (await estimate('TEST')).body;
      expect(madeUp.estimated_cost.toFixed(2)).toBe(await paid());
      expect(await estimate('LIVE')).toMatchObject({
        status: 401,
        body: { return_code: 'E1', message: expect.stringContaining('withdrawn the approval') },
      });
      expect(await callers.LIVE.request('GET', '/offers?environment=live')).toMatchObject({ status: 200 });

      await system().admin('org', 'approve', org);
      const [inTest, inLive] = [(await estimate('TEST')).body, (await estimate('LIVE')).body];
      expect(inLive).toEqual(inTest);
      expect(inTest.matching_users).not.toBe(madeUp.matching_users);
      expect(inTest.estimated_cost.toFixed(2)).toBe(await paid());
    });
  });
}

/** Each reply signs the addresses of images again. */
function withoutSignatures(value: object): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\?expires=[^"]*/g, ''));
}
