/** A caller who disconnects: before the charge the creation stops, from the charge on it is finished. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { byCard, create, createdId, form, type Parts } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { pausePoint } from '../pause-point.ts';
import { expectOneOffer } from './creating.ts';

const under = offersUnderTest();

/** `disconnect` ends the request before any answer. */
function send(method: string, path: string, o: { headers?: object; body?: FormData } = {}) {
  const connection = new AbortController();
  const reply = fetch(under.offers.url + path, {
    method,
    headers: { ...signedCaller({ audience: 'offers' }), ...o.headers },
    ...(o.body && { body: o.body }),
    signal: connection.signal,
  });
  const ended = reply.then(
    () => 'answered',
    (error: Error) => error.name,
  );
  return {
    disconnect: async () => {
      connection.abort();
      expect(await ended).toBe('AbortError');
    },
  };
}

async function sendCreation(key: string, parts: Parts = {}) {
  return send('POST', '/offers', { headers: { 'Idempotency-Key': key }, body: await form(parts) });
}

async function recoveryPoints() {
  const rows = await under.postgres.query<{ recovery_point: string; lease_until: Date }>(
    'SELECT recovery_point, lease_until FROM idempotency_keys',
  );
  return rows.map((row) => ({ at: row.recovery_point, leased: row.lease_until > under.clock.now() }));
}

/** How many creations the service has counted as disconnected. */
async function disconnections(): Promise<number> {
  const text = await (await fetch(`${under.offers.adminUrl}/metrics`)).text();
  return Number(/_count\{[^}]*route="\/offers",status="499"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
}

const atReceived = [{ at: 'received', leased: false }];

describe('before the charge', () => {
  it.each(['pricing', 'moderation'] as const)(
    'while %s works: nothing is created or charged, and the same key goes on at once',
    async (service) => {
      const key = randomUUID();
      const { step, reached, goOn } = pausePoint();
      under.otherServices[service].onAsked = step;
      const caller = await sendCreation(key);
      await reached;
      await caller.disconnect();
      // The lease ends before the other service has answered.
      await eventually(async () => expect(await recoveryPoints()).toEqual(atReceived));
      goOn();
      expect([await under.count('offers'), under.otherServices.billing.sales.size]).toEqual([0, 0]);
      under.otherServices[service].onAsked = async () => {};
      await expectOneOffer(under, await create(under, {}, { key }));
    },
  );

  it('after the last check: nothing is reserved, and the same key goes on', async () => {
    const key = randomUUID();
    const { step, reached, goOn } = pausePoint();
    under.otherServices.moderation.onAsked = step;
    const caller = await sendCreation(key);
    await reached;
    await under.postgres.transaction(async (tx) => {
      // The creation waits for the row of its picture, before it can reserve.
      await tx.query('LOCK TABLE images');
      goOn();
      await eventually(async () => {
        const waiting = await under.postgres.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        expect(waiting).toHaveLength(1);
      });
      const before = await disconnections();
      await caller.disconnect();
      await eventually(async () => expect(await disconnections()).toBe(before + 1));
    });
    await eventually(async () => expect(await recoveryPoints()).toEqual(atReceived));
    expect([await under.count('offers'), under.otherServices.billing.sales.size]).toEqual([0, 0]);
    await expectOneOffer(under, await create(under, {}, { key }));
  });
});

describe('during the charge', () => {
  it.each([
    ['before billing has charged', 'onSale', {}, 'charged'],
    ['after billing has charged', 'onSold', {}, 'charged'],
    ['before billing has opened the checkout', 'onSale', byCard, 'open'],
  ] as const)('%s: the offer is finished, and the key replays it', async (_, moment, parts, state) => {
    const key = randomUUID();
    const { step, reached, goOn } = pausePoint();
    under.otherServices.billing[moment] = step;
    const caller = await sendCreation(key, parts);
    await reached;
    await caller.disconnect();
    goOn();
    await eventually(async () => expect(await recoveryPoints()).toMatchObject([{ at: 'finished' }]));
    const replay = await create(under, parts, { key });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    await expectOneOffer(under, replay, state);
  });
});

it('during a deletion: the offer is deleted and its page closed', async () => {
  const id = await createdId(under, byCard);
  const { step, reached, goOn } = pausePoint();
  under.otherServices.billing.onClose = step;
  const caller = send('DELETE', `/offers/${id}`);
  await reached;
  await caller.disconnect();
  goOn();
  await eventually(async () => expect(await under.offer(id)).toMatchObject({ status: 'Deleted' }));
  expect(under.otherServices.billing.sales.get(id)).toMatchObject({ state: 'closed' });
});
