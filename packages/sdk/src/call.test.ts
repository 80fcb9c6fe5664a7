/** Attempts, waits and deadlines, in virtual time. */
import { createReadStream } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FakeClock, fakeClock, type Scripted, scriptedFetch } from '../test/fake-service.ts';
import { createClientAt, type OfferAds } from './client.ts';
import { OfferAdsError } from './error.ts';
import type { ClientOptions } from './options.ts';
import type { CreateOfferRequest } from './types.ts';

const apiKey = 'pk_test_thisIsNoRealKeyButLooksLikeOne12345678';
const categories = { status: 200, body: { categories: [] } };
const paused = { status: 200, body: { return_code: 'S1', message: 'Offer has been paused' } };
const created = {
  status: 200,
  body: { return_code: 'S1', offer_id: 1, status: 'Active', payment_url: null },
};
const reset = { breaks: Object.assign(new TypeError('fetch failed'), { cause: new Error('ECONNRESET') }) };
const offer: CreateOfferRequest = {
  category_id: 1,
  title: 'Two for one',
  description: 'one line\nand another',
  url: 'https://example.com/',
  image: new Uint8Array([1, 2, 3]),
  location: [51.5, -0.1],
  radius: 10,
  start_datetime: new Date(0),
  expiry_datetime: new Date(3_600_000),
  payment_method: 'B',
};

function clientOf(script: readonly Scripted[], options: Partial<ClientOptions> = {}, clock = fakeClock()) {
  const { fetch, seen } = scriptedFetch(clock, script);
  const ads = createClientAt(clock, { apiKey, baseUrl: 'https://ads.example.com', fetch, ...options });
  return { ads, seen, clock };
}

async function failure(clock: FakeClock, work: Promise<unknown>): Promise<OfferAdsError> {
  const error = await clock.during(work).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof OfferAdsError)) throw new Error('it did not fail as it should', { cause: error });
  return error;
}

describe('a change of an offer', () => {
  it('clears what is null, and leaves what is undefined', async () => {
    const updated = { status: 200, body: { return_code: 'S1', message: 'Offer has been updated' } };
    const { ads, seen, clock } = clientOf([updated]);
    await clock.during(ads.offers.update(7, { title: undefined, advertised_name: null }));
    expect(seen[0]?.body).toContain('name="advertised_name"\r\n\r\n\r\n');
    expect(seen[0]?.body).not.toMatch(/null|undefined|title/);
  });
});

describe('a call', () => {
  it('is repeated after a lost reply, and the result says so', async () => {
    const { ads, seen, clock } = clientOf([reset, paused]);
    const result = await clock.during(ads.offers.pause(7));
    expect(result).toMatchObject({ ok: true, reply: { attempts: 2, earlierReplyLost: true } });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(
      Array(2).fill('POST https://ads.example.com/offers/7/pause'),
    );
  });

  it('that advances the test clock is not repeated when it may have taken effect, and is when it has not', async () => {
    const advanced = {
      status: 200,
      body: { now: '2035-06-02T12:00:00.000Z', offset_seconds: 60, status: 'ready' },
    };
    for (const lost of [reset, { status: 503, body: { message: 'Service unavailable' } }]) {
      const { ads, seen, clock } = clientOf([lost, advanced]);
      expect(await failure(clock, ads.testClock.advance({ advance_seconds: 60 }))).toMatchObject({
        attempts: 1,
        earlierReplyLost: true,
      });
      expect(seen).toHaveLength(1);
    }
    const { ads, clock } = clientOf([{ status: 429, body: { message: 'Too many' } }, advanced]);
    const result = await clock.during(ads.testClock.advance({ now: new Date('2035-06-02T12:00:00Z') }));
    expect(result).toMatchObject({ ok: true, reply: { attempts: 2 } });
  });

  it.each([
    [429, 'rate-limited', 4],
    [503, 'unavailable', 4],
    [500, 'server', 4],
    [502, 'server', 4],
    [504, 'server', 4],
    [408, 'timeout', 4],
    [400, 'unexpected', 1],
    [401, 'unauthorised', 1],
    [403, 'unexpected', 1],
    [404, 'unexpected', 1],
    [413, 'unexpected', 1],
    [302, 'unexpected', 1],
  ])('that is always answered %d fails as %s after %d attempts', async (status, kind, attempts) => {
    const { ads, seen, clock } = clientOf([{ status, body: '<html>', headers: { 'x-request-id': 'r-1' } }]);
    const error = await failure(clock, ads.categories.list());
    expect(error).toMatchObject({ kind, status, attempts, requestId: 'r-1' });
    expect(seen).toHaveLength(attempts);
  });

  it('waits as long as Retry-After says, in seconds or as a date', async () => {
    const { ads, seen, clock } = clientOf([
      { status: 429, headers: { 'retry-after': '31' } },
      { status: 503, headers: { 'retry-after': new Date(Date.now() + 20_000).toUTCString() } },
      categories,
    ]);
    await clock.during(ads.categories.list());
    expect(seen[1]?.atMs).toBe(31_000);
    // Dates have whole seconds.
    expect(seen[2]?.atMs).toBeGreaterThan(31_000 + 15_000);
  });

  it('fails at once when the wait would end after the deadline, with the length of the wait', async () => {
    const { ads, seen, clock } = clientOf([{ status: 429, headers: { 'retry-after': '600' } }]);
    const error = await failure(clock, ads.categories.list());
    expect(error).toMatchObject({ kind: 'rate-limited', attempts: 1, retryAfterMs: 600_000 });
    expect([seen.length, clock.now()]).toEqual([1, 0]);
  });

  it('times out each attempt and, at the deadline, the call, even if fetch ignores signals', async () => {
    const { ads, seen, clock } = clientOf([{ hangs: true }], { timeoutMs: 10_000, deadlineMs: 25_000 });
    expect(await failure(clock, ads.categories.list())).toMatchObject({ kind: 'timeout' });
    expect(seen).toHaveLength(3);
    expect(clock.now()).toBe(25_000);
    expect(clock.pending()).toBe(0);
  });

  it("ends at once when the caller's signal is aborted, in an attempt or a wait", async () => {
    for (const script of [[{ hangs: true } as const], [{ status: 503, headers: { 'retry-after': '60' } }]]) {
      const { ads, clock } = clientOf(script);
      const end = new AbortController();
      clock.schedule(5_000, () => end.abort(new Error('the user left')));
      const error = await failure(clock, ads.categories.list({ signal: end.signal }));
      expect(error).toMatchObject({ kind: 'aborted', cause: new Error('the user left') });
      expect(clock.now()).toBe(5_000);
      expect(clock.pending()).toBe(0);
    }
  });

  it('sends nothing when the signal is aborted already', async () => {
    const { ads, seen, clock } = clientOf([categories]);
    const error = await failure(clock, ads.categories.list({ signal: AbortSignal.abort() }));
    expect([error.kind, error.attempts, seen.length]).toEqual(['aborted', 0, 0]);
  });

  it('fails as unexpected when a 200 does not come from the API', async () => {
    for (const body of ['<html>welcome</html>', '[]', 'null', {}]) {
      const { ads, clock } = clientOf([{ status: 200, body }]);
      expect(await failure(clock, ads.categories.list())).toMatchObject({ kind: 'unexpected', status: 200 });
    }
  });

  it.each(['E8', 'constructor', '__proto__', 'toString'])(
    'fails as unexpected with %s, which is no code of the endpoint',
    async (code) => {
      const body = `{"return_code": "${code}", "message": "odd"}`;
      const { ads, clock } = clientOf([{ status: 400, body }]);
      const error = await failure(clock, ads.offers.pause(1));
      expect(error).toMatchObject({ kind: 'unexpected', code, status: 400 });
    },
  );

  it('fails as network when fetch throws an error that is its own cause', async () => {
    const circle = new Error(`refused for ${apiKey}`);
    circle.cause = circle;
    const { ads, clock } = clientOf([{ breaks: circle }], { maxRetries: 0 });
    const error = await failure(clock, ads.categories.list());
    expect(error).toMatchObject({ kind: 'network', attempts: 1 });
    expect(inspect(error, { depth: 20 })).not.toContain(apiKey);
  });

  it('stops reading a reply that is too long', async () => {
    const { ads, clock } = clientOf([{ status: 200, body: `{"categories": "${'x'.repeat(9_000_000)}"}` }]);
    expect(await failure(clock, ads.categories.list())).toMatchObject({ kind: 'unexpected' });
  });
});

describe('a creation', () => {
  const inFlight = {
    status: 409,
    body: { message: 'still being processed' },
    headers: { 'retry-after': '1' },
  };

  it('has the same key and bytes in each attempt, and the key in the result', async () => {
    const { ads, seen, clock } = clientOf([reset, inFlight, { status: 500 }, created]);
    const result = await clock.during(ads.offers.create(offer));
    expect(result).toMatchObject({ ok: true, replayed: false, reply: { attempts: 4 } });
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set([result.idempotencyKey]),
    );
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
    expect(seen[0]?.body).toContain('one line\nand another');
    expect(seen[0]?.body).toContain('1970-01-01T00:00:00.000Z');
  });

  it('sends neither null nor undefined', async () => {
    const { ads, seen, clock } = clientOf([created]);
    const missing = { advertised_name: null, quote_id: null, gender: null, terms_and_conditions: undefined };
    await clock.during(ads.offers.create({ ...offer, ...missing, environment: null }));
    expect(seen[0]?.body).not.toMatch(/null|undefined|advertised_name|quote_id|gender|terms_and_conditions/);
    expect(seen[0]?.body).toContain('\r\n\r\nTEST\r\n');
  });

  it("uses the caller's key, and has it in the error", async () => {
    const { ads, clock } = clientOf([reset]);
    const error = await failure(clock, ads.offers.create(offer, { idempotencyKey: 'order-1' }));
    expect(error).toMatchObject({ kind: 'network', idempotencyKey: 'order-1', earlierReplyLost: true });
  });

  it('is not repeated when the key was used for something else', async () => {
    const { ads, seen, clock } = clientOf([{ status: 422, body: { message: 'different payload' } }]);
    expect(await failure(clock, ads.offers.create(offer))).toMatchObject({ kind: 'key-reused', attempts: 1 });
    expect(seen).toHaveLength(1);
  });

  it('reads a stream once, and sends all of it in each attempt', async () => {
    let reads = 0;
    async function* image() {
      for (const chunk of ['a', 'b', 'c']) {
        reads += 1;
        yield new TextEncoder().encode(`<${chunk}>`);
      }
    }
    const { ads, seen, clock } = clientOf([reset, created]);
    await clock.during(ads.offers.create({ ...offer, image: image() }));
    expect(seen).toHaveLength(2);
    expect(seen.every(({ body }) => body.includes('\r\n\r\n<a><b><c>\r\n--'))).toBe(true);
    expect(reads).toBe(3);
  });

  it('of a group sends a picture for each file name that its places name, bytes and streams', async () => {
    async function* stream() {
      yield new TextEncoder().encode('<stream>');
    }
    const { location: _, ...shared } = offer;
    const places = ['soho.png', 'café.gif'].map((image) => ({ latitude: 51.5, longitude: -0.1, image }));
    const [soho, cafe] = ['<bytes>', '<blob>'].map((text) => new TextEncoder().encode(text));
    for (const [first, content] of [
      [soho!, '<bytes>'],
      [stream(), '<stream>'],
    ] as const) {
      const body = { return_code: 'S1', group_id: 7, offers: [], payment_url: null, currency: 'GBP' };
      const { ads, seen, clock } = clientOf([reset, { status: 200, body }]);
      const image = { 'soho.png': first, 'café.gif': new Blob([cafe!], { type: 'image/gif' }) };
      expect(await clock.during(ads.groups.create({ ...shared, image, places }))).toMatchObject({ ok: true });
      const [again, sent] = seen.map(({ body }) => body);
      expect(again).toBe(sent);
      const head = 'Content-Disposition: form-data; name="image"; filename=';
      expect(sent).toContain(
        `${head}"soho.png"\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n--`,
      );
      expect(sent).toContain(`${head}"café.gif"\r\nContent-Type: image/gif\r\n\r\n<blob>\r\n--`);
      expect(sent).toContain(JSON.stringify(places));
    }
    const gone = createReadStream('/no/such/picture.png');
    const unread = clientOf([{ status: 200, body: {} }]);
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    gone.on('close', close);
    void unread.clock.outside(closed);
    const image = { 'soho.png': stream(), 'café.gif': gone };
    expect(await failure(unread.clock, unread.ads.groups.create({ ...shared, image, places }))).toMatchObject(
      {
        kind: 'invalid-argument',
        message: 'image could not be read',
      },
    );
    const { ads, seen, clock } = clientOf([]);
    const wrong = ads.groups.create({ ...shared, image: { 'a"b.png': soho! }, places });
    expect(await failure(clock, wrong)).toMatchObject({ kind: 'invalid-argument' });
    expect(seen).toEqual([]);
  });

  it.each<[string, string, () => AsyncGenerator<Uint8Array>]>([
    [
      'cannot be read',
      'image could not be read',
      // oxlint-disable-next-line require-yield
      async function* () {
        throw new Error('the disk is gone');
      },
    ],
    [
      'never ends',
      'image must have at most 5 MB',
      async function* () {
        for (;;) yield new Uint8Array(1_024 * 1_024);
      },
    ],
  ])('sends nothing when the picture %s: %s', async (_, message, image) => {
    const { ads, seen, clock } = clientOf([created]);
    const error = await failure(clock, ads.offers.create({ ...offer, image: image() }));
    expect(error).toMatchObject({ kind: 'invalid-argument', message });
    expect(seen).toEqual([]);
  });

  it.each([
    ['an invalid Date', { start_datetime: new Date(Number.NaN) }],
    ['a picture that is a path', { image: 'picture.png' as never }],
  ])('sends nothing with %s', async (_what, changes) => {
    const { ads, seen, clock } = clientOf([created]);
    expect(await failure(clock, ads.offers.create({ ...offer, ...changes }))).toMatchObject({
      kind: 'invalid-argument',
    });
    expect(seen).toHaveLength(0);
  });
});

describe('a deletion', () => {
  it('is repeated while the payment page cannot be closed, and then returns the refusal', async () => {
    const body = { return_code: 'E7', status: 'Error', code: 503, message: 'could not be closed' };
    const { ads, seen, clock } = clientOf([{ status: 503, body, headers: { 'retry-after': '2' } }]);
    expect(await clock.during(ads.offers.delete(1))).toMatchObject({ ok: false, code: 'E7', status: 503 });
    expect(seen).toHaveLength(4);
  });

  it('is not repeated when the payment has just been completed', async () => {
    const body = { return_code: 'E6', status: 'Error', code: 409, message: 'just completed' };
    const { ads, seen, clock } = clientOf([{ status: 409, body }]);
    expect(await clock.during(ads.offers.delete(1))).toMatchObject({ ok: false, code: 'E6', status: 409 });
    expect(seen).toHaveLength(1);
  });
});

describe('whatever the service does', () => {
  const latency = fc.integer({ min: 0, max: 20_000 });
  const retryAfter = fc.option(fc.integer({ min: 0, max: 90 }), { nil: undefined });
  const reply = fc
    .record({
      status: fc.constantFrom(200, 302, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504),
      afterMs: latency,
      retryAfter,
      code: fc.constantFrom(undefined, 'S1', 'E1', 'E2', 'E3', 'E6', 'E7', 'E9'),
    })
    .map(({ status, afterMs, retryAfter, code }) => ({
      status,
      afterMs,
      headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
      body: { message: 'said', offer_id: 1, categories: [], ...(code && { return_code: code }) },
    }));
  const step = fc.oneof(
    { weight: 6, arbitrary: reply },
    { weight: 2, arbitrary: latency.map((afterMs) => ({ breaks: reset.breaks, afterMs })) },
    { weight: 1, arbitrary: fc.constant({ hangs: true } as const) },
  );
  const limits = fc.record({
    maxRetries: fc.integer({ min: 0, max: 6 }),
    timeoutMs: fc.integer({ min: 1, max: 30_000 }),
    deadlineMs: fc.integer({ min: 1, max: 120_000 }),
  });
  const calls: readonly ((ads: OfferAds) => Promise<unknown>)[] = [
    (ads) => ads.categories.list(),
    (ads) => ads.offers.create(offer, { idempotencyKey: 'one' }),
    (ads) => ads.offers.pause(1),
    (ads) => ads.offers.delete(1),
  ];

  it('a call keeps its limits, waits as long as it is asked to, and repeats no final reply', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 8 }),
        limits,
        fc.constantFrom(...calls),
        fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { minLength: 1, maxLength: 8 }),
        async (script, options, perform, chances) => {
          let drawn = 0;
          const clock = fakeClock(() => chances[drawn++ % chances.length] ?? 0);
          const { ads, seen } = clientOf(script, options, clock);
          const outcome = await clock.during(perform(ads).catch((error: unknown) => error));
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(OfferAdsError);
          expect(seen.length).toBeLessThanOrEqual(options.maxRetries + 1);
          expect(clock.now()).toBeLessThanOrEqual(options.deadlineMs);
          expect(new Set(seen.map(({ body }) => body.replaceAll(/offer-[-\w]{36}/g, ''))).size).toBe(1);
          for (const [index, { atMs }] of seen.slice(1).entries()) {
            const before = script[Math.min(index, script.length - 1)]!;
            const endedAtMs =
              seen[index]!.atMs +
              Math.min('afterMs' in before ? (before.afterMs ?? 0) : 0, options.timeoutMs);
            if (!('status' in before) || (before.afterMs ?? 0) >= options.timeoutMs) continue;
            expect([408, 409, 429, 500, 502, 503, 504]).toContain(before.status);
            const askedMs = Number((before.headers as Record<string, string>)['retry-after'] ?? 0) * 1_000;
            expect(atMs - endedAtMs).toBeGreaterThanOrEqual(askedMs);
            expect(atMs).toBeGreaterThan(endedAtMs - 1);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the API key', () => {
  const shows = (value: unknown) =>
    `${inspect(value, { depth: 20, showHidden: true })} ${String(value)} ${JSON.stringify(value) ?? ''}`;

  it('is not shown when a client, list, result or error is printed', async () => {
    const leaky = Object.assign(new Error(`bad header ${apiKey}`, { cause: new Error(apiKey) }), {
      request: { headers: { 'x-api-key': apiKey } },
    });
    const { ads, seen, clock } = clientOf([{ breaks: leaky }]);
    const error = await failure(clock, ads.categories.list());
    expect(seen[0]?.headers['x-api-key']).toBe(apiKey);
    const good = clientOf([categories]);
    const printed = [ads, ads.offers.list(), error, await good.clock.during(good.ads.categories.list())].map(
      shows,
    );
    expect(printed.join('\n')).not.toContain(apiKey.slice(8));
    expect(shows(error)).toContain('bad header ***');
  });

  it('with a line break at its end is refused, and the error does not quote it', () => {
    const make = () => clientOf([], { apiKey: `${apiKey}\n` });
    expect(make).toThrow('white space');
    expect(make).not.toThrow(apiKey);
  });

  it.each([
    'http://ads.example.com',
    'ftp://ads.example.com',
    'ads.example.com',
    'https://me:pw@ads.example.com',
  ])('is not sent to %s', (baseUrl) => {
    expect(() => clientOf([], { baseUrl })).toThrow('baseUrl');
  });

  it('is sent over plain http to this machine, or where that is allowed', async () => {
    for (const options of [
      { baseUrl: 'http://127.0.0.1:8080/' },
      { baseUrl: 'http://gateway.internal', allowHttp: true },
    ]) {
      const { ads, seen, clock } = clientOf([categories], options);
      await clock.during(ads.categories.list());
      expect(seen[0]?.url).toMatch(/^http:\/\/[^/]+\/categories$/);
    }
  });
});

describe('environment', () => {
  const page = {
    status: 200,
    body: { data: [], pagination: { limit: 20, count: 0, has_more: false, next_cursor: null } },
  };

  it.each([
    ['pk_test_x', 'TEST'],
    ['pk_live_x', 'LIVE'],
  ])('comes from the key %s', async (apiKey, mode) => {
    const { ads, seen, clock } = clientOf([page], { apiKey });
    await clock.during(ads.offers.list({ environment: undefined }).page());
    expect([ads.mode, seen[0]?.url]).toEqual([mode, `https://ads.example.com/offers?environment=${mode}`]);
  });

  it('given by the caller is sent unchanged', async () => {
    const { ads, seen, clock } = clientOf([page]);
    await clock.during(ads.offers.list({ environment: 'live' }).page());
    expect(seen[0]?.url).toContain('environment=live');
  });
});

describe('a list', () => {
  const pageOf = (ids: readonly number[], next: string | null) => ({
    status: 200,
    body: {
      data: ids.map((offer_id) => ({ offer_id })),
      pagination: { limit: 2, count: ids.length, has_more: next !== null, next_cursor: next },
    },
  });

  it('iterates over all pages, and requests a page when the one before is used up', async () => {
    const { ads, seen, clock } = clientOf([pageOf([5, 4], 'a+b'), pageOf([3, 2], 'c'), pageOf([1], null)]);
    const ids: number[] = [];
    const asked: number[] = [];
    const walk = async () => {
      for await (const { offer_id } of ads.offers.list({ limit: 2, created_after: new Date(0) })) {
        ids.push(offer_id);
        asked.push(seen.length);
      }
    };
    await clock.during(walk());
    expect(ids).toEqual([5, 4, 3, 2, 1]);
    expect(asked).toEqual([1, 1, 2, 2, 3]);
    expect(new URL(seen[1]?.url ?? '').searchParams.get('cursor')).toBe('a+b');
    expect(new URL(seen[0]?.url ?? '').searchParams.get('created_after')).toBe('1970-01-01T00:00:00.000Z');
  });

  it('requests no page before or beyond what is used', async () => {
    const { ads, seen, clock } = clientOf([pageOf([5, 4], 'a')]);
    const list = ads.offers.list();
    expect(seen).toHaveLength(0);
    const first = async () => {
      for await (const { offer_id } of list) return offer_id;
      return undefined;
    };
    expect(await clock.during(first())).toBe(5);
    expect(seen).toHaveLength(1);
  });

  it('throws a refusal while iterating, and returns it by page', async () => {
    const body = { return_code: 'E1', status: 'Error', code: 400, message: 'cursor is not valid' };
    const { ads, clock } = clientOf([{ status: 400, body }]);
    const list = ads.offers.list({ cursor: 'x' });
    expect(await failure(clock, list.pages().next())).toMatchObject({
      kind: 'refused',
      code: 'E1',
      status: 400,
    });
    expect(await clock.during(list.page())).toMatchObject({ ok: false, code: 'E1', status: 400 });
  });

  it('ends with an error when the cursor does not advance', async () => {
    const { ads, clock } = clientOf([pageOf([1], 'same')]);
    const walk = async () => {
      for await (const page of ads.offers.list().pages()) void page;
    };
    expect(await failure(clock, walk())).toMatchObject({ message: 'the list does not advance' });
  });
});
