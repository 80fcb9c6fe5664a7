/** An organisation whose clients create, repeat, pause, resume, delete and pay at random, and check every answer. */
import { expect } from '@jest/globals';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { signedCaller } from '@offer-ads/testing/caller';
import type { Chance } from '@offer-ads/testing/random';
import { formOf, type KeyOnRecord, newKey } from './keys.ts';
import { publicUrl, type World } from './world.ts';

export type Organisation = Pick<CallerContext, 'organisationId' | 'country' | 'currency'>;

export type Advertiser = {
  readonly organisation: Organisation;
  readonly keys: KeyOnRecord[];
  /** Ids of offers whose deletion was confirmed. */
  readonly deleted: Set<number>;
  /** Does one random thing. A failure is not repeated, as if the client had crashed. */
  readonly act: (chance: Chance) => Promise<void>;
  readonly create: (record: KeyOnRecord) => Promise<void>;
  readonly listedIds: () => Promise<number[]>;
};

type Success = { readonly offer_id: number; readonly payment_url: string | null };
type Body = { readonly return_code?: string; readonly message?: string };

export function advertiser(world: World, organisation: Organisation): Advertiser {
  const keys: KeyOnRecord[] = [];
  const deleted = new Set<number>();
  const sessions: string[] = [];

  const call = async (method: string, path: string, o: { key?: string; body?: FormData } = {}) => {
    const response = await fetch(world.offers.running().url + path, {
      method,
      headers: {
        ...signedCaller({ audience: 'offers', ...organisation }),
        ...(o.key !== undefined && { 'idempotency-key': o.key }),
      },
      ...(o.body !== undefined && { body: o.body }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) as Body };
  };

  async function create(record: KeyOnRecord): Promise<void> {
    const { status, text, body } = await call('POST', '/offers', {
      key: record.key,
      body: await formOf(record.fields),
    });
    if (body.return_code === 'S1') record.successes.add(text);
    const outcome = `${status} ${body.return_code ?? body.message ?? ''}`;
    expect(answersOfCreate).toContain(outcome);
    // A key that was once answered with success always gets the same answer.
    expect(record.successes.size).toBeLessThanOrEqual(1);
  }

  /** As a client that repeats until it succeeds or has no more repeats. */
  async function createWithRepeats(record: KeyOnRecord, repeats: number): Promise<void> {
    await create(record);
    if (repeats > 0 && record.successes.size === 0) await createWithRepeats(record, repeats - 1);
  }

  const createdOffers = () =>
    keys.flatMap(({ successes }) => [...successes].map((text) => JSON.parse(text) as Success));

  async function command(chance: Chance, name: 'pause' | 'resume' | 'delete'): Promise<void> {
    const created = createdOffers();
    if (created.length === 0) return;
    // One of the latest, because older ones have ended or were deleted.
    const { offer_id: id } = chance.oneOf(created.slice(-6));
    const { status, body } = await (name === 'delete'
      ? call('DELETE', `/offers/${id}`)
      : call('POST', `/offers/${id}/${name}`));
    expect(answersOf[name]).toContain(`${status} ${body.return_code ?? body.message ?? ''}`);
    if (name === 'delete' && status === 200) deleted.add(id);
  }

  /** Follows a payment link; its session may be paid at once, later, or twice. */
  async function pay(chance: Chance): Promise<void> {
    const links = createdOffers().flatMap(({ payment_url }) => payment_url ?? []);
    if (links.length > 0 && chance.below(3) > 0) {
      const link = chance.oneOf(links.slice(-6)).replace(publicUrl, world.billing.running().url);
      const response = await fetch(link, { redirect: 'manual' });
      const session = /cs_test_\w+/.exec(response.headers.get('location') ?? '')?.[0];
      expect([200, 303, 410, 429, 503]).toContain(response.status);
      if (session !== undefined) sessions.push(session);
    }
    if (sessions.length > 0 && chance.below(4) > 0) await world.pay(chance.oneOf(sessions.slice(-6)));
  }

  return {
    organisation,
    keys,
    deleted,
    create,
    act: async (chance) => {
      const what = chance.weighted({
        create: 6,
        repeat: 4,
        pause: 4,
        resume: 4,
        delete: 2,
        pay: 7,
        together: 2,
      });
      switch (what) {
        case 'create':
        case 'together': {
          const record = newKey(chance, world.clock.now());
          keys.push(record);
          await Promise.all(
            Array.from({ length: what === 'together' ? 3 : 1 }, () =>
              createWithRepeats(record, chance.below(6)),
            ),
          );
          return;
        }
        case 'repeat':
          return keys.length === 0 ? undefined : create(chance.oneOf(keys.slice(-5)));
        case 'pay':
          return pay(chance);
        case 'pause':
        case 'resume':
        case 'delete':
          return command(chance, what);
      }
    },
    listedIds: async () => {
      const ids: number[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = `environment=test&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
        const { text } = await call('GET', `/offers?${query}`);
        const page = JSON.parse(text) as {
          data: { offer_id: number }[];
          pagination: { next_cursor: string | null };
        };
        ids.push(...page.data.map((offer) => offer.offer_id));
        cursor = page.pagination.next_cursor;
      }
      return ids;
    },
  };
}

const unavailable = '503 Service unavailable';
/** `E1`: below the card minimum, or the start has passed since the key was first sent. */
const answersOfCreate = [
  '200 S1',
  '200 E3',
  '400 E1',
  '409 A request with this Idempotency-Key is still being processed',
  unavailable,
];
const answersOf = {
  pause: ['200 S1', '200 E2', '200 E3', '200 E5', '401 E1', unavailable],
  resume: ['200 S2', '200 E2', '200 E4', '200 E5', '401 E1', unavailable],
  delete: ['200 S1', '401 E1', '409 E6', '503 E7', unavailable],
};
