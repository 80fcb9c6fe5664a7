/** Views and clicks on the real store, recorded by several replicas. */
import { deepStrictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { analyticsIntervals } from '@offer-ads/contracts/public/api';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { fc, runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { analyticsPeriod, wholeHour } from '../../src/domain/traffic/analytics-period.ts';
import { inboxSlot } from '../../src/domain/traffic/inbox-slots.ts';
import { startPruning } from '../../src/pruning.ts';
import { recordTraffic, type TrafficEvent } from '../../src/traffic/intake.ts';
import { sumCounts } from '../../src/traffic/traffic-store.ts';
import { viewerIn } from '../../src/traffic/viewers-store.ts';
import { putCatalogue, putOffers } from '../listing/listing-rows.ts';
import { databaseUnderTest } from '../offers-under-test.ts';
import { modelCounts } from './traffic-model.ts';

const now = new Date('2026-06-01T12:34:56.789Z');
const HOUR_MS = 3_600_000;
const hour = wholeHour(now);
const OFFERS = 105;
const clock = testClock(now);
/** The first three have different creation times; robots view all of them. */
const createdAt = new Map<number, Date>([
  [1, new Date(now.getTime() - 95 * 24 * HOUR_MS)],
  [2, new Date(now.getTime() - 30 * HOUR_MS - 1)],
  [3, new Date(now.getTime() - 600_000)],
  ...Array.from({ length: OFFERS - 3 }, (_, index) => [index + 4, new Date('2026-06-01T00:00:00Z')] as const),
]);

const [postgres, secondReplica, thirdReplica] = databaseUnderTest();
const replicas = [postgres, secondReplica] as const;

beforeAll(async () => {
  await putCatalogue(postgres);
  const offers = [...createdAt].map(([offerId, created]) => ({
    offerId,
    organisationId: 1,
    mode: 'TEST' as const,
    paymentAppliedAt: created,
    pausedSince: null,
    disabledSince: null,
    deletedAt: null,
    activationAnnouncedAt: null,
    endAnnouncedAt: null,
    createdAt: created,
    startAt: created,
    expiryAt: new Date(created.getTime() + 365 * 24 * HOUR_MS),
    shownAt: created,
  }));
  await putOffers(postgres, offers);
});

/** After every story, with repeats, bots and races, the sums for the portal are those of the hours. */
afterEach(async () => {
  const [sums] = await postgres.query(`SELECT
    (SELECT coalesce(json_agg(s ORDER BY offer_id), '[]') FROM traffic_totals AS s WHERE (views, clicks) <> (0, 0)) AS offers,
    (SELECT coalesce(json_agg(s ORDER BY organisation_id, mode, hour), '[]') FROM traffic_of_organisations AS s
      WHERE (views, clicks) <> (0, 0)) AS organisations`);
  const [hours] = await postgres.query(`SELECT
    (SELECT coalesce(json_agg(s ORDER BY offer_id), '[]') FROM (
      SELECT offer_id, sum(views) AS views, sum(clicks) AS clicks FROM traffic GROUP BY 1) AS s WHERE (views, clicks) <> (0, 0)) AS offers,
    (SELECT coalesce(json_agg(s ORDER BY organisation_id, mode, hour), '[]') FROM (
      SELECT organisation_id, mode, hour, sum(views) AS views, sum(clicks) AS clicks FROM traffic JOIN offers USING (offer_id)
       GROUP BY 1, 2, 3) AS s WHERE (views, clicks) <> (0, 0)) AS organisations`);
  deepStrictEqual(sums, hours);
});

beforeEach(async () => {
  clock.set(now);
  await forgetAll();
});

const forgetAll = () =>
  postgres.query(
    'TRUNCATE traffic, traffic_totals, traffic_of_organisations, traffic_inbox, traffic_viewers',
  );

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

/** A view of each offer. Their event ids, viewers and offers are all in the order in which rows are written. */
function viewsInOrder(o: { anonymous: boolean }): TrafficEvent[] {
  const key = (viewer: string) => BigInt(viewerIn(hour, viewer).key);
  const viewers = times(OFFERS)
    .map((index) => `viewer ${index}`)
    .toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  const views = viewers.map((viewer, index) =>
    event({ offerId: index + 1, viewer: o.anonymous ? undefined : viewer }),
  );
  return asNewEvents(views);
}

/** The same with new event ids, which are in the order of the events. */
function asNewEvents(events: readonly TrafficEvent[]): TrafficEvent[] {
  const ids = events.map(() => randomUUID()).toSorted();
  return events.map((one, index) => event({ ...one, eventId: ids[index] ?? '' }));
}

function countsOf(offerId: number) {
  return sumCounts(postgres, offerId, { from: createdAt.get(offerId) ?? now, to: clock.now() });
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('any events, in any order, number and batches, on two replicas', () => {
  /** Times around the bounds of intervals and creations, and between them; some come from clocks that run ahead. */
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
  /** Around the number of offers from which a viewer is a bot. */
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
      // Each event at least once.
      order: fc
        .shuffledSubarray(all)
        .chain((again) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length })),
      batches: fc.array(fc.record({ size: fc.integer({ min: 1, max: 40 }), replica: fc.nat({ max: 1 }) }), {
        minLength: 1,
        maxLength: 20,
      }),
    }),
  );

  it('give the sums of a simple model of the rule, in all six intervals', async () => {
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
          for (const interval of offerId === 50 ? (['all'] as const) : analyticsIntervals) {
            const period = analyticsPeriod(interval, createdAt.get(offerId) ?? now, now);
            const model = modelCounts(all, { createdAt, now }, offerId, period);
            const counts = await sumCounts(postgres, offerId, period);
            expect({ offerId, interval, ...counts }).toEqual({ offerId, interval, ...model });
          }
        }
      }),
      { numRuns: runs(25, 500) },
    );
  });
});

describe('batches of replicas at the same time', () => {
  /** Both wait for a row that a third transaction has locked. If they wrote in the order of their events, they would then deadlock. */
  it.each([
    { share: 'events', gate: 'INSERT INTO traffic_inbox (event_id, slot) VALUES ($1, $2)' },
    { share: 'new viewers', gate: 'INSERT INTO traffic_viewers VALUES ($1, $2, NULL, now())' },
    {
      share: 'known viewers',
      gate: 'SELECT 1 FROM traffic_viewers WHERE hour = $1 AND viewer = $2 FOR UPDATE',
    },
    { share: 'offers', gate: 'INSERT INTO traffic VALUES ($1, $2)' },
  ] as const)('that share $share in opposite orders wait for each other and never deadlock', async (o) => {
    const views = viewsInOrder({ anonymous: o.share === 'offers' });
    const middle = views[Math.floor(OFFERS / 2)] ?? event();
    if (o.share === 'known viewers') await recordTraffic({ postgres, clock }, asNewEvents(views));
    const reversed = views.toReversed();
    const batches = [views, o.share === 'events' ? reversed : asNewEvents(reversed)];
    const held = {
      events: [middle.eventId, inboxSlot(middle.seenAt, now)],
      'new viewers': [hour, viewerIn(hour, middle.viewer ?? '').key],
      'known viewers': [hour, viewerIn(hour, middle.viewer ?? '').key],
      offers: [middle.offerId, hour],
    }[o.share];
    const { recording } = await thirdReplica.transaction(async (tx) => {
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

  it('find together that a viewer is a bot, though neither batch alone shows it', async () => {
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

  it('of which one fails: nothing of it counts until it comes again', async () => {
    const [good, bad] = [event(), event({ eventId: 'not a UUID' })];
    await expect(recordTraffic({ postgres, clock }, [good, bad])).rejects.toThrow('uuid');
    expect(await countsOf(1)).toMatchObject({ views: 0 });
    await recordTraffic({ postgres, clock }, [good]);
    expect(await countsOf(1)).toMatchObject({ views: 1 });
  });
});

describe('an event', () => {
  it('counts once in a batch that has it twice, and when its id comes in upper case', async () => {
    const one = event();
    await recordTraffic({ postgres, clock }, [one, one]);
    await recordTraffic({ postgres, clock }, [{ ...one, eventId: one.eventId.toUpperCase() }]);
    await recordTraffic({ postgres, clock }, [event({ eventId: randomUUID().toUpperCase() })]);
    expect(await countsOf(1)).toMatchObject({ views: 2 });
  });
});

describe('the stored viewers and event ids', () => {
  const stored = async () => {
    const [row] = await postgres.query(
      `SELECT (SELECT count(*)::int FROM traffic_viewers) AS viewers, (SELECT count(*)::int FROM traffic_inbox) AS events`,
    );
    return row;
  };
  const prune = async () => {
    const foundation = { clock, logger: silentLogger, metrics: createMetrics('test') };
    await using pruning = startPruning({ postgres, ...foundation });
    await pruning.runNow();
  };
  const days = (count: number) => count * 24 * HOUR_MS;

  it('name nobody, and are not the same from one hour to the next', async () => {
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

  it('are deleted, viewers after two days and events after three, and the counts stay', async () => {
    await recordTraffic({ postgres, clock }, [event({ viewer: 'ann' })]);
    clock.advance(days(2) - HOUR_MS);
    await prune();
    expect(await stored()).toEqual({ viewers: 1, events: 1 });
    clock.advance(2 * HOUR_MS);
    await prune();
    expect(await stored()).toEqual({ viewers: 0, events: 1 });
    clock.advance(days(1));
    await prune();
    expect(await stored()).toEqual({ viewers: 0, events: 1 });
    clock.advance(days(1));
    await prune();
    expect(await stored()).toEqual({ viewers: 0, events: 0 });
    expect(await countsOf(1)).toMatchObject({ views: 1 });
  });

  it('hold an event of another day, late or far ahead, for three days from when it came', async () => {
    const odd = [
      event({ seenAt: new Date(now.getTime() - days(20)) }),
      event({ seenAt: new Date(now.getTime() + days(4)) }),
    ];
    await recordTraffic({ postgres, clock }, odd);
    clock.advance(days(3) - HOUR_MS);
    await prune();
    expect(await recordTraffic({ postgres, clock }, odd)).toMatchObject({ taken: 0, repeated: 2 });
    clock.advance(2 * HOUR_MS);
    await prune();
    expect(await stored()).toMatchObject({ events: 0 });
  });

  it('stay while events of their hour are still coming, however old the hour is', async () => {
    const old = new Date(now.getTime() - days(5));
    await recordTraffic({ postgres, clock }, [event({ viewer: 'ann', seenAt: old })]);
    await prune();
    await recordTraffic({ postgres, clock }, [event({ viewer: 'ann', seenAt: old })]);
    expect(await countsOf(1)).toMatchObject({ views: 1, viewsRepeated: 1 });
  });

  it('are deleted however many there are', async () => {
    await postgres.query(
      `INSERT INTO traffic_viewers SELECT $1, number, '{1,1,0}', $1 FROM generate_series(1, 12000) AS number`,
      [new Date(now.getTime() - days(3))],
    );
    await prune();
    expect(await stored()).toEqual({ viewers: 0, events: 0 });
  });
});
