/** Estimates and prices of creations over HTTP, with an audience of the test. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Target } from '@offer-ads/contracts/audience/target';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { groupPricesReply, priceReply, quotedPriceReply } from '@offer-ads/contracts/internal/pricing-api';
import { estimateReply } from '@offer-ads/contracts/public/api';
import { groupEstimateReply } from '@offer-ads/contracts/public/groups-api';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import type { HttpServer } from '@offer-ads/platform/http/server';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { testClock } from '@offer-ads/testing/clock';
import { startTestServer } from '@offer-ads/testing/http-server';
import { collectingLogger } from '@offer-ads/testing/logger';
import { fc, runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { estimateForm, london, priceRequest } from '../../test/people.ts';
import type { AudienceEngine } from '../audience/audience.ts';
import { audienceShown } from '../domain/cohort.ts';
import type { ReferenceRates } from '../domain/rates/exchange-rate.ts';
import { cacheRates } from '../rates/cached-rates.ts';
import { estimateFastPath } from './estimate-fast-path.ts';
import { mountPriceRoutes } from './price-routes.ts';

/** Targets whose counts the privacy budgets were asked to disclose. */
const disclosed: Target[] = [];
let lines: readonly string[];
let server: HttpServer;
afterEach(async () => {
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
const rates = await cacheRates({ newest: async () => [fixing] });

async function start(count: AudienceEngine['count'], minCohort = 1): Promise<void> {
  const parts = {
    contextSecret: testContextSecret,
    clock,
    audience: { count },
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
  const log = collectingLogger();
  lines = log.lines;
  server = await startTestServer((app) => mountPriceRoutes(app, parts), {
    logger: log.logger,
    clock,
    fastPath: estimateFastPath(parts),
  });
}

type Sent = Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> };

function send(path: string, request: Sent, caller: Partial<CallerContext> = {}): Promise<Response> {
  const context = signedCaller({ audience: 'pricing', ...caller });
  const headers = { ...context, 'content-type': 'application/json', ...request.headers };
  return fetch(server.url + path, { method: 'POST', ...request, headers });
}

async function post(path: string, json: object, caller: Partial<CallerContext> = {}) {
  const reply = await send(path, { body: JSON.stringify(json) }, caller);
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

async function estimateOf(form: object, caller?: Partial<CallerContext>) {
  return estimateReply.parse((await post('/offers/price-estimate', form, caller)).body);
}

describe('the body of an estimate', () => {
  const form = JSON.stringify(estimateForm());
  const withStrayByte = Buffer.from(JSON.stringify(estimateForm({ note: '*' })));
  withStrayByte[withStrayByte.lastIndexOf('*')] = 0xff;

  // Whatever is wrong with it: the specification has one code for that.
  it.each<[string, string | Buffer<ArrayBuffer>, Record<string, string>?]>([
    ['missing', ''],
    ['a list', '[]'],
    ['JSON that breaks off', '{"radius": 1'],
    ['no UTF-8, in a field that nobody reads', withStrayByte],
    ['of another type', form, { 'content-type': 'text/plain' }],
    ['in an unknown coding', form, { 'content-encoding': 'zstd' }],
    ['a byte too long', form.padEnd(65_537)],
  ])('is refused with E1 when it is %s', async (_, body, headers = {}) => {
    await start(async () => 1);
    const reply = await send('/offers/price-estimate', { body, headers });
    const refused = { return_code: 'E1', code: 400, message: expect.stringMatching(/^The body must/) };
    expect([reply.status, await reply.json()]).toEqual([400, { ...refused, status: 'Error' }]);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.has('x-request-id')).toBe(true);
  });

  it('is taken at its greatest length, and with a path in another case, a slash and a query string', async () => {
    await start(async () => 1);
    const reply = await send('/offers/Price-Estimate/?from=portal', { body: form.padEnd(65_536) });
    expect(reply.status).toBe(200);
  });
});

describe('what offers asks', () => {
  it.each([
    ['/internal/price', { radiusMiles: 4 }],
    ['/internal/price', { startAt: undefined }],
    ['/internal/price', { endAt: '2026-11-30T00:00:00.000Z' }],
    ['/internal/quoted-price', { quoteId: undefined }],
  ])(
    '%s is refused with 400 when it is no such request: %j; and with 401 without a caller',
    async (path, changes) => {
      await start(async () => 1);
      const receivedAt = '2026-11-20T18:00:00.000Z';
      expect((await post(path, priceRequest({ receivedAt, quoteId: 'x', ...changes }))).status).toBe(400);
      expect((await fetch(server.url + path, { method: 'POST' })).status).toBe(401);
    },
  );
});

describe('latitude and longitude the wrong way round', () => {
  const asked: Target[] = [];
  const membersOfLondon: AudienceEngine['count'] = async (target) => {
    asked.push(target);
    return target.latitude > 50 ? 30 : 0;
  };
  const estimate = async (location: readonly [number, number]) => {
    asked.length = 0;
    return estimateOf(estimateForm({ location, gender: ['Male'] }));
  };
  const warnings = [expect.stringContaining('latitude comes first')];

  it('are named when the other way round somebody would match', async () => {
    await start(membersOfLondon);
    expect(await estimate([-0.1, 51.5])).toMatchObject({ matching_users: 0, estimated_cost: 0, warnings });
    expect(asked).toEqual([asked[0], { ...asked[0], latitude: 51.5, longitude: -0.1 }]);
    const { body } = await post('/internal/price', priceRequest({ latitude: -0.1, longitude: 51.5 }));
    expect(priceReply.parse(body)).toMatchObject({ matchingUsers: 0, isPlaceSwapped: true });
  });

  it('are not looked for when somebody matches, or the other place does not exist', async () => {
    await start(membersOfLondon);
    for (const [place, counts] of [
      [[51.5, -0.1], 1],
      [[0, 91], 1],
      [[10, 10], 1],
      [[0, 20], 2],
    ] as const)
      expect([place, (await estimate(place)).warnings, asked.length]).toEqual([place, undefined, counts]);
  });

  it('tell no more than an estimate for the other place, which the budgets are asked about too', async () => {
    // A cohort of 100 hides the 30.
    await start(membersOfLondon, 100);
    expect(await estimate([-0.1, 51.5])).not.toHaveProperty('warnings');
    expect(disclosed).toEqual([asked[0], asked[1]]);
  });
});

describe.each([
  ['/offers/price-estimate', estimateForm()],
  ['/internal/price', priceRequest()],
])('a caller of %s who disconnects while members are counted', (path, question) => {
  it('stops the count, and is logged as 499 and not as an error', async () => {
    const counting = Promise.withResolvers<void>();
    await start((_target, deadline = createDeadline(60_000)) => {
      counting.resolve();
      const { promise, reject } = Promise.withResolvers<number>();
      const signal = deadline.signal(60_000);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      return promise;
    });
    const hangUp = new AbortController();
    const reply = send(path, { body: JSON.stringify(question), signal: hangUp.signal });
    await Promise.race([counting.promise, reply]);
    hangUp.abort();
    await expect(reply).rejects.toThrow('aborted');
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
    it('have the same figures, whatever the inputs', async () => {
      // The question determines the count.
      await start(async ({ latitude, longitude, radiusMiles, gender, interests }) => {
        const asked = [latitude, longitude, radiusMiles, gender, interests];
        return createHash('sha256').update(JSON.stringify(asked)).digest().readUInt32BE() % 1_000;
      }, minCohort);
      const earliestMs = Date.parse('2026-11-20T17:59:00Z');
      const anyQuestion = fc.record({
        currency: fc.constantFrom('GBP', 'USD', 'EUR', 'HUF', 'JPY', 'AED'),
        startMs: fc.integer({ min: earliestMs, max: earliestMs + 400 * 86_400_000 }),
        durationMs: fc.integer({ min: 1, max: 400 * 86_400_000 }),
        latitude: fc.integer({ min: -90_000, max: 90_000 }).map((e3) => e3 / 1_000),
        longitude: fc.integer({ min: -180_000, max: 180_000 }).map((e3) => e3 / 1_000),
        radiusMiles: fc.integer({ min: 5, max: 30 }),
        gender: fc.uniqueArray(fc.constantFrom('Male', 'Female', 'Non-binary')),
        interests: fc.uniqueArray(fc.constantFrom(1, 2, 3)),
      });
      await fc.assert(
        fc.asyncProperty(anyQuestion, async ({ currency, startMs, durationMs, ...target }) => {
          const startAt = new Date(startMs).toISOString();
          const endAt = new Date(startMs + durationMs).toISOString();
          const { latitude, longitude, radiusMiles: radius, gender, interests } = target;
          const location = [latitude, longitude];
          const form = { start_datetime: startAt, end_datetime: endAt, location, radius, gender, interests };
          const estimate = await estimateOf(form, { currency });
          const creation = await post('/internal/price', { startAt, endAt, ...target }, { currency });
          const price = priceReply.parse(creation.body);
          expect(estimate.matching_users).toBe(price.matchingUsers);
          expect(price.matchingUsers % minCohort).toBe(0);
          expect(estimate.ad_units).toBe(Number(price.adUnitsHundredths) / 100);
          expect(estimate.estimated_cost).toBe(price.money && Number(price.money.costMinor) / 100);
          expect(estimate.exchange_rate_date).toBe(price.money && price.money.exchangeRateDate);
        }),
        { numRuns: runs(40, 1_000) },
      );
    });
  },
);

describe('the price of a group', () => {
  const places = [
    { latitude: 51.5, longitude: -0.1, label: 'Soho' },
    { latitude: 52.5, longitude: -1.9 },
  ];
  const inPlaces: AudienceEngine['count'] = async ({ latitude }) => (latitude === 51.5 ? 1_000 : 649);
  const form = estimateForm({ location: undefined });
  const send = async (changes: object) =>
    (await post('/offer-groups/price-estimate', { ...form, places, ...changes })).body;

  it('is that of each place, and their sum; the creation gets the same', async () => {
    await start(inPlaces);
    const single = await Promise.all(
      places.map(({ latitude, longitude }) => estimateOf(estimateForm({ location: [latitude, longitude] }))),
    );
    const estimate = groupEstimateReply.parse(await send({}));
    expect(estimate.places).toEqual(
      single.map(({ ad_units, matching_users, estimated_cost }, index) => ({
        label: ['Soho', null][index],
        ad_units,
        matching_users,
        estimated_cost,
      })),
    );
    expect(estimate.estimated_cost).toBe(single.reduce((sum, each) => sum + (each.estimated_cost ?? 0), 0));
    // Each place costs the privacy budget of one estimate.
    expect(disclosed).toHaveLength(4);

    const offers = places.map(({ latitude, longitude }) => ({ ...priceRequest(), latitude, longitude }));
    const { body } = await post('/internal/group-prices', { offers });
    expect(groupPricesReply.parse(body).prices.map(({ matchingUsers }) => matchingUsers)).toEqual([
      1_000, 649,
    ]);
  });

  it('is null where the currency cannot be billed, and refused with all faults', async () => {
    await start(inPlaces);
    const { body } = await post('/offer-groups/price-estimate', { ...form, places }, { currency: 'JPY' });
    expect(body).toMatchObject({
      estimated_cost: null,
      places: [{ estimated_cost: null }, { estimated_cost: null }],
    });
    expect(await send({ radius: 1, places: [{ latitude: 91, longitude: 0 }], quote: true })).toMatchObject({
      return_code: 'E1',
      message: expect.stringMatching(/^radius .*; places\[0\]\.latitude .*; quote must not be sent/),
    });
  });
});

describe('a quote', () => {
  let members = 1_649;
  let counts = 0;
  const dollars = { currency: 'USD' } as const;
  const estimate = (changes: object = {}, caller: Partial<CallerContext> = dollars) =>
    estimateOf(estimateForm({ gender: ['All', 'Male'], interests: [3, 1, 3], ...changes }), caller);
  const created = priceRequest({ ...london, interests: [1, 3] });
  async function quotedPrice(changes: object, caller: Partial<CallerContext> = dollars) {
    const request = { ...created, receivedAt: '2026-11-20T18:04:59.999Z', ...changes };
    return quotedPriceReply.parse((await post('/internal/quoted-price', request, caller)).body);
  }

  beforeEach(async () => {
    members = 1_649;
    counts = 0;
    await start(async () => {
      counts += 1;
      return members;
    });
  });
  afterEach(() => clock.set('2026-11-20T18:00:00.000Z'));

  it('is in the reply only if it is asked for; everything else stays the same', async () => {
    const plain = await estimate();
    expect(Object.keys(plain)).not.toContain('quote_id');
    expect(await estimate({ quote: false })).toEqual(plain);
    expect(await estimate({ quote: true })).toEqual({
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
    const none = { return_code: 'S1', quote_id: null, quote_expiry_datetime: null };
    expect(await estimate({ quote: true }, caller)).toMatchObject(none);
  });

  it('holds every figure although members leave and rates are out of date, and counts nobody', async () => {
    const quoted = await estimate({ quote: true });
    expect(quoted).toMatchObject({ matching_users: 1_649, estimated_cost: 367.43 });
    members = 0;
    counts = 0;
    // In dollars nothing can be billed any more.
    clock.set('2026-11-24T15:00:00Z');
    const money = {
      costMinor: '36743',
      adUnitPriceE8: '132631',
      exchangeRatePerGbpE6: '1326310',
      exchangeRateDate: '2026-11-20',
    };
    expect(await quotedPrice({ quoteId: quoted.quote_id })).toEqual({
      outcome: 'honoured',
      price: { matchingUsers: 1_649, adUnitsHundredths: '27703200', money },
    });
    expect(counts).toBe(0);
    const { body } = await post('/internal/price', created, dollars);
    expect(body).toMatchObject({ matchingUsers: 0, money: null });
  });

  it('expires by the time at which the creation arrived, whatever the time is here', async () => {
    const { quote_id: quoteId } = await estimate({ quote: true });
    clock.set('2026-11-20T18:09:00Z');
    expect(await quotedPrice({ quoteId })).toMatchObject({ outcome: 'honoured' });
    const late = await quotedPrice({ quoteId, receivedAt: '2026-11-20T18:05:00.000Z' });
    expect(late).toEqual({ outcome: 'refused', reason: 'expired' });
  });

  it('is refused with a reason, and with the fields that differ', async () => {
    const { quote_id: quoteId } = await estimate({ quote: true });
    const other = { radiusMiles: 11, gender: ['Male'], endAt: '2026-12-08T00:00:00.001Z' };
    const fields = ['endAt', 'radiusMiles', 'gender'];
    const refused = (reason: string, more: object = {}) => ({ outcome: 'refused', reason, ...more });
    expect(await quotedPrice({ quoteId, ...other })).toEqual(refused('differs', { fields }));
    expect(await quotedPrice({ quoteId }, { ...dollars, organisationId: 2 })).toEqual(refused('foreign'));
    expect(await quotedPrice({ quoteId: `${quoteId}x` })).toEqual(refused('unknown'));
  });
});
