import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Target } from '@offer-ads/contracts/audience/target';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { priceReply, quotedPriceReply } from '@offer-ads/contracts/internal/pricing-api';
import { estimateReply } from '@offer-ads/contracts/public/api';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http/server';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { testClock } from '@offer-ads/testing/clock';
import { fc, runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { AudienceEngine } from '../audience/audience.ts';
import { audienceShown } from '../domain/cohort.ts';
import type { ReferenceRates } from '../domain/rates/exchange-rate.ts';
import { holdRates } from '../rates/held-rates.ts';
import { estimateFastPath } from './estimate-fast-path.ts';
import { mountPriceRoutes } from './price-routes.ts';

const lines: string[] = [];
/** Targets whose counts the privacy budgets were asked to disclose. */
const disclosed: Target[] = [];
let server: HttpServer;
afterEach(async () => {
  lines.length = 0;
  disclosed.length = 0;
  await server[Symbol.asyncDispose]();
});

const clock = testClock('2026-11-20T18:00:00.000Z');

const fixing: ReferenceRates = {
  date: '2026-11-20',
  perEuroE8: new Map([
    ['GBP', 87_325_000n],
    ['USD', 115_820_000n],
    ['HUF', 38_563_000_000n],
    ['JPY', 17_893_000_000n],
  ]),
};
const rates = await holdRates({ newest: async () => [fixing] });

/** Pricing's routes with an engine of the test. */
async function start(audience: AudienceEngine, minCohort = 1): Promise<void> {
  const destination = { write: (line: string) => lines.push(line) };
  const parts = {
    contextSecret: testContextSecret,
    clock,
    audience,
    sandbox: { count: async () => 0 },
    privacyBudgets: {
      discloseCount: ({ counted, target }: { counted: number; target: Target }) => {
        disclosed.push(target);
        return audienceShown(counted, minCohort);
      },
    },
    minCohort,
    rates,
    interests: { active: () => new Set([1, 2, 3]) },
  };
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'pricing', level: 'info', destination }),
    metrics: createMetrics('pricing'),
    clock,
    readiness: async () => [],
    fastPath: estimateFastPath(parts),
    routes: (app) => mountPriceRoutes(app, parts),
  });
}

describe('latitude and longitude the wrong way round', () => {
  const warning = expect.stringContaining('latitude comes first');
  /** Members of London only. */
  const asked: Target[] = [];
  const london: AudienceEngine = {
    count: async (target) => {
      asked.push(target);
      return target.latitude > 50 ? 30 : 0;
    },
  };
  const estimate = async (location: readonly [number, number]) => {
    asked.length = 0;
    const response = await fetch(`${server.url}/offers/price-estimate`, {
      method: 'POST',
      headers: { ...signedCaller({ audience: 'pricing' }), 'content-type': 'application/json' },
      body: JSON.stringify({
        start_datetime: '2026-12-01T00:00:00Z',
        end_datetime: '2026-12-08T00:00:00Z',
        location,
        radius: 10,
        gender: ['Male'],
      }),
    });
    return { ...estimateReply.parse(await response.json()), counts: asked.length };
  };

  it('are named when the other way round somebody would match', async () => {
    await start(london);
    const swapped = await estimate([-0.1, 51.5]);
    expect(swapped).toMatchObject({ matching_users: 0, estimated_cost: 0, warnings: [warning], counts: 2 });
    expect(asked[1]).toEqual({ ...asked[0], latitude: 51.5, longitude: -0.1 });
    const response = await fetch(`${server.url}/internal/price`, {
      method: 'POST',
      headers: { ...signedCaller({ audience: 'pricing' }), 'content-type': 'application/json' },
      body: JSON.stringify({
        ...asked[0],
        startAt: '2026-12-01T00:00:00.000Z',
        endAt: '2026-12-08T00:00:00.000Z',
      }),
    });
    expect(priceReply.parse(await response.json())).toMatchObject({ matchingUsers: 0, isPlaceSwapped: true });
  });

  it('are not looked for when somebody matches, or the other place does not exist', async () => {
    await start(london);
    for (const [place, counts] of [
      [[51.5, -0.1], 1],
      [[0, 91], 1],
      [[10, 10], 1],
      [[0, 20], 2],
    ] as const) {
      const { warnings, counts: counted } = await estimate(place);
      expect([place, warnings, counted]).toEqual([place, undefined, counts]);
    }
  });

  it('tell no more than an estimate for the other place, which the budgets are asked about too', async () => {
    // A cohort of 100 hides the 30.
    await start(london, 100);
    expect(await estimate([-0.1, 51.5])).not.toHaveProperty('warnings');
    expect(disclosed).toEqual([asked[0], asked[1]]);
  });
});

describe.each([
  [
    '/offers/price-estimate',
    {
      start_datetime: '2026-12-01T00:00:00Z',
      end_datetime: '2026-12-08T00:00:00Z',
      location: [51.5, -0.1],
      radius: 10,
    },
  ],
  [
    '/internal/price',
    {
      startAt: '2026-12-01T00:00:00.000Z',
      endAt: '2026-12-08T00:00:00.000Z',
      latitude: 51.5,
      longitude: -0.1,
      radiusMiles: 10,
      gender: [],
      interests: [],
    },
  ],
])('a caller of %s who disconnects while members are counted', (path, question) => {
  it('stops the count, and is logged as 499 and not as an error', async () => {
    const counting = Promise.withResolvers<void>();
    await start({
      count: (_target, deadline = createDeadline(60_000)) =>
        new Promise((_resolve, reject) => {
          const signal = deadline.signal(60_000);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          counting.resolve();
        }),
    });
    const hangUp = new AbortController();
    const reply = fetch(server.url + path, {
      method: 'POST',
      headers: { ...signedCaller({ audience: 'pricing' }), 'content-type': 'application/json' },
      body: JSON.stringify(question),
      signal: hangUp.signal,
    });
    const ended = reply.then(
      () => 'answered',
      (error: Error) => error.name,
    );
    await counting.promise;
    hangUp.abort();
    expect(await ended).toBe('AbortError');
    await eventually(() => {
      expect(lines.join()).toContain('the caller has gone');
      expect(lines.join()).toContain(`"route":"${path}","status":499`);
    });
    expect(lines.join()).not.toContain('"level":"error"');
  });
});

describe.each([1, 7])(
  'an estimate and the creation of the same offer, with a minimum cohort of %i',
  (minCohort) => {
    /** The question determines the count. */
    const audience: AudienceEngine = {
      count: async ({ latitude, longitude, radiusMiles, gender, interests }) => {
        const asked = [latitude, longitude, radiusMiles, gender, interests];
        return createHash('sha256').update(JSON.stringify(asked)).digest().readUInt32BE() % 1_000;
      },
    };

    it('have the same figures, whatever the inputs', async () => {
      await start(audience, minCohort);
      const ask = async (path: string, currency: string, json: object) => {
        const headers = {
          ...signedCaller({ audience: 'pricing', currency }),
          'content-type': 'application/json',
        };
        const reply = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(json) });
        expect(reply.status).toBe(200);
        return reply.json();
      };
      const earliestMs = Date.parse('2026-11-20T17:59:00Z');
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            currency: fc.constantFrom('GBP', 'USD', 'EUR', 'HUF', 'JPY', 'AED'),
            startMs: fc.integer({ min: earliestMs, max: earliestMs + 400 * 86_400_000 }),
            durationMs: fc.integer({ min: 1, max: 400 * 86_400_000 }),
            latitude: fc.integer({ min: -90_000, max: 90_000 }).map((e3) => e3 / 1_000),
            longitude: fc.integer({ min: -180_000, max: 180_000 }).map((e3) => e3 / 1_000),
            radius: fc.integer({ min: 5, max: 30 }),
            gender: fc.uniqueArray(fc.constantFrom('Male', 'Female', 'Non-binary')),
            interests: fc.uniqueArray(fc.constantFrom(1, 2, 3)),
          }),
          async ({ currency, startMs, durationMs, latitude, longitude, radius, gender, interests }) => {
            const startAt = new Date(startMs).toISOString();
            const endAt = new Date(startMs + durationMs).toISOString();
            const estimate = estimateReply.parse(
              await ask('/offers/price-estimate', currency, {
                start_datetime: startAt,
                end_datetime: endAt,
                location: [latitude, longitude],
                radius,
                gender,
                interests,
              }),
            );
            const target = { latitude, longitude, radiusMiles: radius, gender, interests };
            const price = priceReply.parse(
              await ask('/internal/price', currency, { startAt, endAt, ...target }),
            );
            expect(estimate.matching_users).toBe(price.matchingUsers);
            expect(price.matchingUsers % minCohort).toBe(0);
            expect(estimate.ad_units).toBe(Number(price.adUnitsHundredths) / 100);
            expect(estimate.estimated_cost).toBe(price.money && Number(price.money.costMinor) / 100);
            expect(estimate.exchange_rate_date).toBe(price.money && price.money.exchangeRateDate);
          },
        ),
        { numRuns: runs(40, 1_000) },
      );
    });
  },
);

describe('a quote', () => {
  /** What the world is like for one estimate or creation. */
  let members = 1_649;
  let counts = 0;
  const audience: AudienceEngine = {
    count: async () => {
      counts += 1;
      return members;
    },
  };
  const estimated = {
    start_datetime: '2026-12-01T00:00:00Z',
    end_datetime: '2026-12-08T00:00:00Z',
    location: [51.5, -0.1],
    radius: 10,
    gender: ['All', 'Male'],
    interests: [3, 1, 3],
  };
  const created = {
    startAt: '2026-12-01T00:00:00.000Z',
    endAt: '2026-12-08T00:00:00.000Z',
    latitude: 51.5,
    longitude: -0.1,
    radiusMiles: 10,
    gender: [],
    interests: [1, 3],
  };
  const dollars = { currency: 'USD' } as const;
  const receivedAt = '2026-11-20T18:04:59.999Z';

  async function post(path: string, json: object, caller: Partial<CallerContext> = dollars) {
    const headers = {
      ...signedCaller({ audience: 'pricing', ...caller }),
      'content-type': 'application/json',
    };
    const reply = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(json) });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  }
  const estimate = (changes: object = {}, caller?: Partial<CallerContext>) =>
    post('/offers/price-estimate', { ...estimated, ...changes }, caller);
  const quoteId = async () => String((await estimate({ quote: true })).body.quote_id);
  async function quotedPrice(changes: object, caller?: Partial<CallerContext>) {
    const { status, body } = await post(
      '/internal/quoted-price',
      { ...created, receivedAt, ...changes },
      caller,
    );
    expect(status).toBe(200);
    return quotedPriceReply.parse(body);
  }

  beforeEach(async () => {
    members = 1_649;
    counts = 0;
    await start(audience);
  });
  afterEach(() => clock.set('2026-11-20T18:00:00.000Z'));

  it('is in the reply only if it is asked for; everything else stays the same', async () => {
    const { body: plain } = await estimate();
    expect(Object.keys(plain)).not.toContain('quote_id');
    expect((await estimate({ quote: false })).body).toEqual(plain);
    const { body } = await estimate({ quote: true });
    expect(estimateReply.parse(body)).toEqual({
      ...plain,
      quote_id: expect.stringMatching(/^[\w-]{100,500}\.[\w-]{43}$/),
      quote_expiry_datetime: '2026-11-20T18:05:00.000Z',
    });
  });

  it.each([
    ['the currency cannot be billed', 1_649, { currency: 'JPY' }],
    ['nobody matches', 0, dollars],
  ])('is null when %s', async (_, matching, caller) => {
    members = matching;
    expect((await estimate({ quote: true }, caller)).body).toMatchObject({
      return_code: 'S1',
      quote_id: null,
      quote_expiry_datetime: null,
    });
  });

  it('holds every figure although members leave and rates are out of date, and counts nobody', async () => {
    const { body } = await estimate({ quote: true });
    expect(body).toMatchObject({ matching_users: 1_649, estimated_cost: 367.43 });
    members = 0;
    counts = 0;
    // In dollars nothing can be billed any more.
    clock.set('2026-11-24T15:00:00Z');
    expect(await quotedPrice({ quoteId: body.quote_id })).toEqual({
      outcome: 'honoured',
      price: {
        matchingUsers: 1_649,
        adUnitsHundredths: '27703200',
        money: {
          costMinor: '36743',
          adUnitPriceE8: '132631',
          exchangeRatePerGbpE6: '1326310',
          exchangeRateDate: '2026-11-20',
        },
      },
    });
    expect(counts).toBe(0);
    expect((await post('/internal/price', created)).body).toMatchObject({ matchingUsers: 0, money: null });
  });

  it('expires by the time at which the creation arrived, whatever the time is here', async () => {
    const id = await quoteId();
    clock.set('2026-11-20T18:09:00Z');
    expect(await quotedPrice({ quoteId: id })).toMatchObject({ outcome: 'honoured' });
    const late = { quoteId: id, receivedAt: '2026-11-20T18:05:00.000Z' };
    expect(await quotedPrice(late)).toEqual({ outcome: 'refused', reason: 'expired' });
  });

  it('is refused with a reason, and with the fields that differ', async () => {
    const id = await quoteId();
    const differs = { quoteId: id, radiusMiles: 11, gender: ['Male'], endAt: '2026-12-08T00:00:00.001Z' };
    expect(await quotedPrice(differs)).toEqual({
      outcome: 'refused',
      reason: 'differs',
      fields: ['endAt', 'radiusMiles', 'gender'],
    });
    const foreign = { outcome: 'refused', reason: 'foreign' };
    expect(await quotedPrice({ quoteId: id }, { ...dollars, organisationId: 2 })).toEqual(foreign);
    expect(await quotedPrice({ quoteId: id }, { ...dollars, mode: 'LIVE' })).toEqual(foreign);
    expect(await quotedPrice({ quoteId: `${id}x` })).toEqual({ outcome: 'refused', reason: 'unknown' });
  });

  it('needs a caller, and a whole request', async () => {
    expect((await post('/internal/quoted-price', { ...created, receivedAt })).status).toBe(400);
    const response = await fetch(`${server.url}/internal/quoted-price`, { method: 'POST' });
    expect(response.status).toBe(401);
  });
});
