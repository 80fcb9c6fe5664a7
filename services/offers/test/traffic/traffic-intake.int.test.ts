/** Views and clicks on the real store, as several replicas take them in. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { analyticsIntervals } from '@offer-ads/contracts/public/api';
import { openPostgres, type Postgres } from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { fc, runs } from '@offer-ads/testing/profile';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { analyticsPeriod, wholeHour } from '../../src/domain/traffic/analytics-period.ts';
import { recordTraffic, type TrafficEvent } from '../../src/traffic/intake.ts';
import { startTrafficPruning } from '../../src/traffic/pruning.ts';
import { sumCounts, sumTraffic } from '../../src/traffic/traffic-store.ts';
import { viewerIn } from '../../src/traffic/viewers-store.ts';
import { modelCounts } from './traffic-model.ts';

const now = new Date('2026-06-01T12:34:56.789Z');
const HOUR_MS = 3_600_000;
const hour = wholeHour(now);
const OFFERS = 105;
const clock = testClock(now);
/** The first three are looked at closely; the others are there for robots to visit. */
const createdAt = new Map<number, Date>([
  [1, new Date(now.getTime() - 95 * 24 * HOUR_MS)],
  [2, new Date(now.getTime() - 30 * HOUR_MS - 1)],
  [3, new Date(now.getTime() - 600_000)],
  ...Array.from({ length: OFFERS - 3 }, (_, index) => [index + 4, new Date('2026-06-01T00:00:00Z')] as const),
]);

const resources = new AsyncDisposableStack();
/** As two replicas have: each its own pool. */
let replicas: readonly [Postgres, Postgres];
let postgres: Postgres;
let openReplica: () => Promise<Postgres>;

beforeAll(async () => {
  const database = resources.adopt(await createTestDatabase('offers'), (it) => it.dispose());
  const o = { url: database.url, logger: silentLogger, metrics: createMetrics('test') };
  // Whoever waits for another is not to be given up on a busy machine.
  openReplica = () => openPostgres({ ...o, statementTimeoutMs: 60_000 });
  replicas = [resources.use(await openReplica()), resources.use(await openReplica())];
  postgres = replicas[0];
  await postgres.query("INSERT INTO categories VALUES (1, 'Food', true, NULL)");
  await postgres.query(
    `INSERT INTO offers (offer_id, organisation_id, mode, trading_name, country, currency, category_id, title, description,
       terms_and_conditions, url, image, latitude, longitude, radius_miles, gender, interests, created_at, start_at,
       expiry_at, payment_method, net_minor, shown_at)
     OVERRIDING SYSTEM VALUE
     SELECT offer_id, 1, 'TEST', 'T', 'GB', 'GBP', 1, 'T', '', '', 'https://a.test', 'i', 0, 0, 5, '{}', '{}', created_at,
       created_at, created_at + interval '1 year', 'B', 0, created_at
     FROM unnest($1::integer[], $2::timestamptz[]) AS new (offer_id, created_at)`,
    [[...createdAt.keys()], [...createdAt.values()]],
  );
});
afterAll(() => resources.disposeAsync());
beforeEach(async () => {
  clock.set(now);
  await forgetAll();
});

const forgetAll = () => postgres.query('TRUNCATE traffic, traffic_inbox, traffic_viewers');

function event(o: Partial<TrafficEvent> = {}): TrafficEvent {
  return {
    eventId: randomUUID(),
    kind: 'view',
    offerId: 1,
    seenAt: now,
    viewer: undefined,
    automated: false,
    ...o,
  };
}

/** A view of each offer, in the order in which rows are written: of ids, viewers and offers alike. */
function viewsInOrder(o: { anonymous: boolean }): TrafficEvent[] {
  const key = (viewer: string) => BigInt(viewerIn(hour, viewer).key);
  const viewers = times(OFFERS)
    .map((index) => `viewer ${index}`)
    .toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  const views = viewers.map((viewer, index) =>
    event({ offerId: index + 1, viewer: o.anonymous ? undefined : viewer }),
  );
  return toldAgain(views);
}

/** The same by other events, whose ids lead through them in their order. */
function toldAgain(events: readonly TrafficEvent[]): TrafficEvent[] {
  const ids = events.map(() => randomUUID()).toSorted();
  return events.map((one, index) => event({ ...one, eventId: ids[index] ?? '' }));
}

function countsOf(offerId: number) {
  return sumCounts(postgres, offerId, { from: createdAt.get(offerId) ?? now, to: clock.now() });
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('any events, in any order, number and batches, over two replicas', () => {
  /** Bounds of intervals and creations, to the millisecond, and anything between; some from clocks that run ahead. */
  const edges = [
    ...analyticsIntervals.map((interval) => analyticsPeriod(interval, createdAt.get(2) ?? now, now).from),
    ...[1, 2, 3].map((offerId) => createdAt.get(offerId) ?? now),
    hour,
    now,
  ];
  const seenAt = fc.oneof(
    fc
      .tuple(fc.constantFrom(...edges), fc.integer({ min: -1, max: 1 }))
      .map(([edge, by]) => new Date(edge.getTime() + by)),
    fc.date({
      min: new Date('2026-02-20T00:00:00Z'),
      max: new Date('2026-06-01T14:00:00Z'),
      noInvalidDate: true,
    }),
    fc.date({ min: new Date('2026-06-01T11:50:00Z'), max: now, noInvalidDate: true }),
  );
  const anyEvent: fc.Arbitrary<TrafficEvent> = fc.record({
    eventId: fc.uuid(),
    kind: fc.constantFrom('view', 'click'),
    offerId: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(1, 2, 3) }, fc.constantFrom(4, 999)),
    seenAt,
    viewer: fc.option(fc.constantFrom('ann', 'bob', 'robot'), { nil: undefined }),
    automated: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  });
  /** Around the bound of a person. */
  const robotsRound = fc
    .integer({ min: 97, max: OFFERS })
    .map((distinct) =>
      times(distinct).map((index) =>
        event({ offerId: index + 1, viewer: 'robot', seenAt: new Date(now.getTime() - 1_000 - index) }),
      ),
    );
  const allEvents = fc
    .tuple(fc.array(anyEvent, { maxLength: 80 }), fc.option(robotsRound, { nil: [] }))
    .map(([some, round]) => some.concat(round));
  const deliveries = allEvents.chain((all) =>
    fc.record({
      all: fc.constant(all),
      // Each at least once.
      order: fc
        .shuffledSubarray(all)
        .chain((again) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length })),
      batches: fc.array(fc.record({ size: fc.integer({ min: 1, max: 40 }), replica: fc.nat({ max: 1 }) }), {
        minLength: 1,
        maxLength: 20,
      }),
    }),
  );

  it('come to the sums that a plain model of the rule gives, in all six intervals', async () => {
    await fc.assert(
      fc.asyncProperty(deliveries, async ({ all, order, batches }) => {
        await forgetAll();
        const queues: (() => Promise<unknown>)[][] = [[], []];
        for (let at = 0, turn = 0; at < order.length; turn += 1) {
          const { size = 1, replica = 0 } = batches[turn % batches.length] ?? {};
          const batch = order.slice(at, at + size);
          queues[replica]?.push(() =>
            recordTraffic({ postgres: replicas[replica] ?? postgres, clock }, batch),
          );
          at += size;
        }
        await Promise.all(
          queues.map(async (queue) => {
            for (const record of queue) await record();
          }),
        );
        for (const offerId of [1, 2, 3, 50]) {
          const created = createdAt.get(offerId) ?? now;
          for (const interval of analyticsIntervals) {
            const period = analyticsPeriod(interval, created, now);
            const model = modelCounts(all, { createdAt, now }, offerId, period);
            expect({ offerId, interval, ...(await sumCounts(postgres, offerId, period)) }).toEqual({
              offerId,
              interval,
              ...model,
            });
            const { views, clicks } = model;
            expect(await sumTraffic(postgres, offerId, period)).toEqual({ views, clicks });
          }
        }
      }),
      { numRuns: runs(25, 500) },
    );
  });
});

describe('batches of replicas at the same time', () => {
  /** Both reach a row that a third transaction holds; in the order of their events each would come from its own end. */
  it.each([
    { share: 'events', gate: 'INSERT INTO traffic_inbox VALUES ($1, now())' },
    { share: 'new viewers', gate: 'INSERT INTO traffic_viewers VALUES ($1, $2, NULL, now())' },
    {
      share: 'known viewers',
      gate: 'SELECT 1 FROM traffic_viewers WHERE hour = $1 AND viewer = $2 FOR UPDATE',
    },
    { share: 'offers', gate: 'INSERT INTO traffic VALUES ($1, $2)' },
  ] as const)('that share $share in opposite orders wait for each other, but never in a ring', async (o) => {
    const views = viewsInOrder({ anonymous: o.share === 'offers' });
    const middle = views[Math.floor(OFFERS / 2)] ?? event();
    if (o.share === 'known viewers') await recordTraffic({ postgres, clock }, toldAgain(views));
    const reversed = views.toReversed();
    const batches = [views, o.share === 'events' ? reversed : toldAgain(reversed)];
    const held = {
      events: [middle.eventId],
      'new viewers': [hour, viewerIn(hour, middle.viewer ?? '').key],
      'known viewers': [hour, viewerIn(hour, middle.viewer ?? '').key],
      offers: [middle.offerId, hour],
    }[o.share];
    await using holder = await openReplica();
    const { recording } = await holder.transaction(async (tx) => {
      await tx.query('SAVEPOINT before');
      await tx.query(o.gate, held);
      const recording = Promise.allSettled(
        batches.map((batch, index) => recordTraffic({ postgres: replicas[index] ?? postgres, clock }, batch)),
      );
      await eventually(async () => {
        const waiting = await tx.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(waiting).toHaveLength(2);
      });
      await tx.query('ROLLBACK TO before');
      return { recording };
    });
    expect((await recording).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  it('see together that a viewer is a bot, though neither saw it alone', async () => {
    const visit = (from: number, to: number) =>
      times(to - from).map((index) => event({ offerId: from + index + 1, viewer: 'robot' }));
    await recordTraffic({ postgres, clock }, visit(0, 1));
    await Promise.all([
      recordTraffic({ postgres: replicas[0], clock }, visit(0, 60)),
      recordTraffic({ postgres: replicas[1], clock }, visit(40, OFFERS)),
    ]);
    expect(await countsOf(50)).toMatchObject({ views: 0, viewsAutomated: 2 });
    expect(await countsOf(1)).toMatchObject({ views: 0, viewsAutomated: 2 });
    const [known] = await postgres.query('SELECT seen FROM traffic_viewers');
    expect(known).toEqual({ seen: null });
  });

  it('of which one fails count what the others had, and the failed one counts when it comes again', async () => {
    const bad = [event(), event({ eventId: 'no id at all' })];
    await expect(recordTraffic({ postgres, clock }, bad)).rejects.toThrow('uuid');
    expect(await countsOf(1)).toMatchObject({ views: 0 });
    await recordTraffic({ postgres, clock }, bad.slice(0, 1));
    expect(await countsOf(1)).toMatchObject({ views: 1 });
  });
});

describe('an event', () => {
  it('counts once in a batch that has it twice, and when its id comes in capitals', async () => {
    const one = event();
    await recordTraffic({ postgres, clock }, [one, one]);
    await recordTraffic({ postgres, clock }, [{ ...one, eventId: one.eventId.toUpperCase() }]);
    await recordTraffic({ postgres, clock }, [event({ eventId: randomUUID().toUpperCase() })]);
    expect(await countsOf(1)).toMatchObject({ views: 2 });
  });
});

describe('what is kept of viewers and events', () => {
  const kept = async () => {
    const [row] = await postgres.query(
      `SELECT (SELECT count(*)::int FROM traffic_viewers) AS viewers, (SELECT count(*)::int FROM traffic_inbox) AS events`,
    );
    return row;
  };
  const prune = async () => {
    await using pruning = startTrafficPruning({
      postgres,
      clock,
      logger: silentLogger,
      metrics: createMetrics('test'),
    });
    await pruning.runNow();
  };
  const days = (count: number) => count * 24 * HOUR_MS;

  it('names nobody, and is not the same from one hour to the next', async () => {
    const earlier = new Date(now.getTime() - HOUR_MS);
    await recordTraffic({ postgres, clock }, [
      event({ viewer: 'ann' }),
      event({ viewer: 'ann', seenAt: earlier }),
    ]);
    const rows = await postgres.query<{ row: string }>(
      'SELECT traffic_viewers::text AS row FROM traffic_viewers',
    );
    expect(rows.map(({ row }) => row).join()).not.toContain('ann');
    const viewers = await postgres.query('SELECT DISTINCT viewer FROM traffic_viewers');
    expect(viewers).toHaveLength(2);
  });

  it('is forgotten, viewers after two days and events after three, and figures stay', async () => {
    await recordTraffic({ postgres, clock }, [event({ viewer: 'ann' })]);
    clock.advance(days(2) - HOUR_MS);
    await prune();
    expect(await kept()).toEqual({ viewers: 1, events: 1 });
    clock.advance(2 * HOUR_MS);
    await prune();
    expect(await kept()).toEqual({ viewers: 0, events: 1 });
    clock.advance(days(1));
    await prune();
    expect(await kept()).toEqual({ viewers: 0, events: 0 });
    expect(await countsOf(1)).toMatchObject({ views: 1 });
  });

  it('stays while events of its hour are still coming, however old the hour', async () => {
    const old = new Date(now.getTime() - days(5));
    await recordTraffic({ postgres, clock }, [event({ viewer: 'ann', seenAt: old })]);
    await prune();
    await recordTraffic({ postgres, clock }, [event({ viewer: 'ann', seenAt: old })]);
    expect(await countsOf(1)).toMatchObject({ views: 1, viewsRepeated: 1 });
  });

  it('is forgotten however much there is', async () => {
    await postgres.query(
      `INSERT INTO traffic_viewers SELECT $1, number, '{1,1,0}', $1 FROM generate_series(1, 12000) AS number`,
      [new Date(now.getTime() - days(3))],
    );
    await prune();
    expect(await kept()).toEqual({ viewers: 0, events: 0 });
  });
});
