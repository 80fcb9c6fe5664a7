/** Placements and views, in virtual time. */
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type FakeClock, fakeClock, type Scripted, scriptedFetch } from '../test/fake-service.ts';
import { createClient } from './client.ts';
import { createCommunityClient, createCommunityClientAt } from './community.ts';
import { OfferAdsError } from './error.ts';
import type { CommunityClientOptions } from './options.ts';

const placementKey = 'pk_place_test_thisIsNoRealKeyButLooksLikeOne12345678';
const baseUrl = 'https://ads.example.com';
const member = { latitude: 51.5, longitude: -0.1, gender: 'Female' } as const;
const placements = { status: 200, body: { placements: [] } };
const reset = { breaks: new TypeError('fetch failed') };
const away = { status: 503, body: { message: 'Service unavailable' }, headers: { 'retry-after': '2' } };
const counted = (accepted: number, refused: readonly number[] = []) => ({
  status: 200,
  body: { accepted, refused },
});

function clientOf(script: readonly Scripted[], options: Partial<CommunityClientOptions> = {}) {
  const clock = fakeClock();
  const { fetch, seen } = scriptedFetch(clock, script);
  const community = createCommunityClientAt(clock, { placementKey, baseUrl, fetch, ...options });
  const sent = () => seen.map(({ body }) => (JSON.parse(body) as { view_tokens: string[] }).view_tokens);
  return { community, seen, sent, clock };
}

async function failure(clock: FakeClock, work: Promise<unknown>): Promise<OfferAdsError> {
  const error = await clock.during(work).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof OfferAdsError)) throw new Error('it did not fail as it should', { cause: error });
  return error;
}

describe('placements', () => {
  it('sends what is known of the member with the key, and returns the offers', async () => {
    const { community, seen, clock } = clientOf([placements]);
    const result = await clock.during(community.placements({ ...member, wanted: 5, viewer: undefined }));
    expect(result).toMatchObject({ ok: true, value: { placements: [] }, reply: { attempts: 1 } });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: `${baseUrl}/placements`,
        headers: { 'x-api-key': placementKey, 'content-type': 'application/json' },
        body: JSON.stringify({ ...member, wanted: 5 }),
      },
    ]);
  });

  it('fails as invalid-request, with the name of the field, when the service does not accept a field', async () => {
    const message = 'wanted: Too big: expected number to be <=20';
    const { community, seen, clock } = clientOf([{ status: 400, body: { message } }]);
    const error = await failure(clock, community.placements({ ...member, wanted: 21 }));
    expect(error).toMatchObject({ kind: 'invalid-request', status: 400, attempts: 1 });
    expect(error.message).toBe(`findPlacements: 400 ${message}`);
    expect(seen).toHaveLength(1);
  });

  it('fails as unexpected when a 400 does not come from the API', async () => {
    const { community, clock } = clientOf([{ status: 400, body: '<html>Bad request</html>' }]);
    expect(await failure(clock, community.placements(member))).toMatchObject({ kind: 'unexpected' });
  });

  it('are asked for again after a fault that passes', async () => {
    const { community, seen, clock } = clientOf([reset, away, placements]);
    const result = await clock.during(community.placements(member));
    expect(result.reply.attempts).toBe(3);
    expect(seen[2]?.atMs).toBeGreaterThanOrEqual(2_000);
  });

  it('do not keep a page waiting: 2 s for an attempt and 5 s for all', async () => {
    const hung = clientOf([{ hangs: true }]);
    expect(await failure(hung.clock, hung.community.placements(member))).toMatchObject({ kind: 'timeout' });
    expect(hung.seen.map(({ atMs }) => atMs)).toEqual([0, 2_250, 4_750]);
    expect(hung.clock.now()).toBe(5_000);

    const limited = clientOf([{ status: 429, headers: { 'retry-after': '30' } }]);
    expect(await failure(limited.clock, limited.community.placements(member))).toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 30_000,
    });
    expect(limited.clock.now()).toBe(0);
  });

  it.each([
    ['on the client', { deadlineMs: 60_000, timeoutMs: 40_000 }, {}],
    ['on the call', {}, { deadlineMs: 60_000, timeoutMs: 40_000 }],
  ])('wait longer when the limits are set %s', async (_where, ofClient, ofCall) => {
    const { community, seen, clock } = clientOf([{ hangs: true }], ofClient);
    expect(await failure(clock, community.placements(member, ofCall))).toMatchObject({ kind: 'timeout' });
    expect([seen.length, clock.now()]).toEqual([2, 60_000]);
  });
});

describe('views', () => {
  const many = Array.from({ length: 1_201 }, (_, index) => `token-${index}`);

  it('sends tokens, and again after a lost reply, because each counts once', async () => {
    const { community, seen, sent, clock } = clientOf([reset, counted(1, [1])]);
    const result = await clock.during(community.views(['a', 'b']));
    expect(result).toMatchObject({
      ok: true,
      value: { accepted: 1, refused: [1] },
      reply: { attempts: 2, earlierReplyLost: true },
    });
    expect(sent()).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(seen[0]).toMatchObject({ method: 'POST', url: `${baseUrl}/placements/views` });
  });

  it('sends more than 500 in several requests, and returns their sum with the places in the whole list', async () => {
    const script = [counted(499, [7]), away, counted(498, [0, 499]), counted(201)];
    const { community, sent, clock } = clientOf(script);
    const result = await clock.during(community.views(many));
    expect(sent()).toEqual([
      many.slice(0, 500),
      many.slice(500, 1_000),
      many.slice(500, 1_000),
      many.slice(1_000),
    ]);
    expect(result).toMatchObject({
      value: { accepted: 1_198, refused: [7, 500, 999] },
      reply: { attempts: 4 },
    });
  });

  it('has one deadline for all requests', async () => {
    const slow = { ...counted(500), afterMs: 3_000 };
    const { community, seen, clock } = clientOf([slow], { deadlineMs: 5_000 });
    expect(await failure(clock, community.views(many))).toMatchObject({ kind: 'timeout' });
    expect([seen.length, clock.now()]).toEqual([2, 5_000]);
  });

  it('sends the tokens as they were at the call', async () => {
    const { community, sent, clock } = clientOf([counted(500)]);
    const tokens = [...many];
    const sending = community.views(tokens);
    tokens.length = 0;
    await clock.during(sending);
    expect(sent().flat()).toEqual(many);
  });

  it('sends nothing that cannot be a token, so that it does not stop the others', async () => {
    const { community, sent, clock } = clientOf([counted(1, [1])]);
    const made = ['', 'x'.repeat(513), '"', '\\', 'line\n', 'é', 7 as never, undefined as never];
    const result = await clock.during(community.views(['good', 'forged', ...made]));
    expect(sent()).toEqual([['good', 'forged']]);
    expect(result.value).toEqual({ accepted: 1, refused: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
  });

  it.each([[[]], [['']]])('sends no request when no token is left (%j)', async (tokens) => {
    const { community, seen, clock } = clientOf([counted(0)]);
    const result = await clock.during(community.views(tokens));
    expect(result).toMatchObject({
      ok: true,
      value: { accepted: 0, refused: [...tokens.keys()] },
      reply: { attempts: 0 },
    });
    expect(seen).toHaveLength(0);
  });

  it('takes a list, not one token', async () => {
    const { community, seen, clock } = clientOf([counted(1)]);
    const error = await failure(clock, community.views('token' as never));
    expect([error.kind, seen.length]).toEqual(['invalid-argument', 0]);
  });
});

describe('the placement key', () => {
  it.each([
    ['pk_place_test_x', 'TEST'],
    ['pk_place_live_x', 'LIVE'],
  ])('%s says the mode', (key, mode) => {
    expect(createCommunityClient({ placementKey: key, baseUrl }).mode).toBe(mode);
  });

  it.each(['pk_test_x', 'pk_live_x', 'pk_place_x', 'x_pk_place_test_x', 'x'])(
    'is not %s: the error says how a placement key begins',
    (key) => {
      const make = () => createCommunityClient({ placementKey: key, baseUrl });
      expect(make).toThrow(OfferAdsError);
      expect(make).toThrow('placementKey must begin with pk_place_test_ or pk_place_live_');
    },
  );

  it.each(['pk_place_test_x', 'pk_place_live_x'])('%s is refused by the client of advertisers', (key) => {
    const make = () => createClient({ apiKey: key, baseUrl });
    expect(make).toThrow(OfferAdsError);
    expect(make).toThrow('`createCommunityClient`');
  });

  it('is not shown when the client or an error is printed', async () => {
    const { community, clock } = clientOf([{ breaks: new Error(`bad header ${placementKey}`) }]);
    const error = await failure(clock, community.views(['a']));
    const make = () => createCommunityClient({ placementKey: `${placementKey}\n`, baseUrl });
    expect(make).toThrow('placementKey contains white space');
    expect(make).not.toThrow(placementKey);
    expect(inspect([community, error], { depth: 20, showHidden: true })).not.toContain(placementKey);
  });
});
