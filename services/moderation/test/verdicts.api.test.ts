import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { signedCaller } from '@offer-ads/testing/caller';
import { jpegOfBytes, photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { unsafeLookingPng } from '@offer-ads/testing/pictures/unsafe-picture';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import sharp from 'sharp';
import type { ModerationConfig } from '../src/config.ts';
import { type Model, openModel } from '../src/model/nsfwjs-model.ts';
import { type ModerationUnderTest, moderationUnderTest } from './moderation-under-test.ts';
import { verdictIn } from './verdict-in.ts';

let under: ModerationUnderTest;
let model: Model;
beforeAll(async () => {
  model = await openModel();
  under = await moderationUnderTest({ PICTURES_AT_ONCE: 1, MAX_WAITING: 4 }, model);
});
afterAll(async () => {
  await under?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

/** Another replica over the real model, unless a test brings another. */
const start = (settings: Partial<ModerationConfig> = {}, other?: Model) => under.another(settings, other);

function post(service: { url: string }, bytes: Uint8Array, headers: Record<string, string> = {}) {
  return fetch(`${service.url}/internal/verdicts`, {
    method: 'POST',
    headers: {
      ...signedCaller({ audience: 'moderation' }),
      'content-type': 'application/octet-stream',
      ...headers,
    },
    body: new Uint8Array(bytes),
  });
}

async function verdictOn(service: { url: string }, bytes: Uint8Array): Promise<VerdictReply> {
  const response = await patiently(() => post(service, bytes));
  expect(response.status).toBe(200);
  return verdictIn(response);
}

/** Counts what the model is asked. */
function counted(real: Model) {
  const asked = { pictures: 0 };
  const score: Model['score'] = (looks, signal) => {
    asked.pictures += 1;
    return real.score(looks, signal);
  };
  return { asked, model: { ...real, score } satisfies Model };
}

describe('POST /internal/verdicts', () => {
  it('allows a photograph and gives back what members will see', async () => {
    const reply = await verdictOn(under, await photographLikeJpeg());
    if (reply.verdict !== 'allowed') throw new Error(`expected allowed, got ${reply.verdict}`);
    expect(reply.contentType).toBe('image/jpeg');
    expect((await sharp(reply.bytes).metadata()).format).toBe('jpeg');
  });

  it.each([
    ['allows a photograph', () => photographLikeJpeg({ seed: 2 }), { verdict: 'allowed' }],
    [
      'refuses a picture that the model finds unsafe',
      unsafeLookingPng,
      { verdict: 'refused', reason: 'the picture looks explicit' },
    ],
  ])('%s, and again from memory', async (_, make, verdict) => {
    const { asked, model: counting } = counted(model);
    await using service = await start({}, counting);
    const picture = await make();
    const first = await verdictOn(service, picture);
    expect(first).toMatchObject(verdict);
    expect(await verdictOn(service, picture)).toEqual(first);
    expect(asked.pictures).toBe(1);
  });

  it('judges anew under other thresholds: a stricter one turns the verdict', async () => {
    const picture = await photographLikeJpeg({ seed: 3 });
    expect((await verdictOn(under, picture)).verdict).toBe('allowed');
    await using strict = await start({ EXPLICIT_THRESHOLD: 0, SUGGESTIVE_THRESHOLD: 0 });
    expect((await verdictOn(strict, picture)).verdict).toBe('refused');
    expect((await verdictOn(under, picture)).verdict).toBe('allowed');
  });

  it('judges anew with another version of the model', async () => {
    const picture = await photographLikeJpeg({ seed: 4 });
    await verdictOn(under, picture);
    const { asked, model: upgraded } = counted({
      ...model,
      identity: { ...model.identity, version: 'next' },
    });
    await using after = await start({}, upgraded);
    await verdictOn(after, picture);
    expect(asked.pictures).toBe(1);
  });

  it('refuses an animation for one unsafe frame', async () => {
    const calm = await sharp(await photographLikeJpeg({ width: 224, height: 224 }))
      .png()
      .toBuffer();
    const hidden = await sharp([calm, calm, await unsafeLookingPng()], { join: { animated: true } })
      .gif()
      .toBuffer();
    expect((await verdictOn(under, hidden)).verdict).toBe('refused');
  });

  it('finds no picture in nothing, in text and in a body of another content type', async () => {
    for (const body of ['', 'not a picture', '<svg xmlns="http://www.w3.org/2000/svg"/>'])
      expect(await verdictOn(under, Buffer.from(body))).toEqual({
        verdict: 'unreadable',
        problem: 'image must be a JPG, PNG or GIF',
      });
    const photograph = await photographLikeJpeg();
    const asJpeg = () => post(under, photograph, { 'content-type': 'image/jpeg' });
    expect(await (await patiently(asJpeg)).json()).toMatchObject({ verdict: 'unreadable' });
  });

  it('takes 5,242,880 bytes and refuses one more', async () => {
    expect((await verdictOn(under, await jpegOfBytes(5_242_880))).verdict).toBe('allowed');
    expect((await post(under, await jpegOfBytes(5_242_881))).status).toBe(413);
  });

  it('answers 401 to whoever the gateway does not vouch for', async () => {
    const response = await post(under, await photographLikeJpeg(), signedCaller({ audience: 'offers' }));
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: 'Unauthorised' });
  });
});

describe('an organisation whose pictures have taken their processor time of the hour', () => {
  it('is told 429 with the rest of the hour, and others get their verdicts', async () => {
    await using service = await start({ PICTURE_SECONDS_PER_HOUR: 1 });
    const picture = await photographLikeJpeg({ width: 4_000, height: 3_000, seed: 11 });
    const upload = () => post(service, picture, signedCaller({ audience: 'moderation', organisationId: 77 }));
    let response = await upload();
    for (let more = 0; more < 50 && response.status !== 429; more += 1) response = await upload();
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({
      message: 'The images of this organisation have taken too much time to check in this hour',
    });
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(3_600);
    expect((await verdictOn(service, await photographLikeJpeg())).verdict).toBe('allowed');
  });
});

describe('when there is no verdict in time', () => {
  it('answers 503 within the time that the caller waits: the model does not answer', async () => {
    await using service = await start({}, { ...model, score: () => new Promise(() => {}) });
    const response = await post(service, await photographLikeJpeg({ seed: 5 }), {
      // Long enough for the picture to be open by then.
      'x-request-budget-ms': '3000',
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ message: 'Service unavailable' });
    expect(response.headers.get('retry-after')).toMatch(/^[1-3]$/);
  });

  it('the wait counts among the times to a verdict, by which alerts tell that moderation is slow', async () => {
    await using service = await start({}, { ...model, score: () => new Promise(() => {}) });
    await post(service, await photographLikeJpeg({ seed: 10 }), { 'x-request-budget-ms': '50' });
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^moderation_verdict_seconds_count\{.*verdict="none".*\} 1$/m);
  });

  it('answers 503 at once when too many pictures wait', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const slow: Model = { ...model, score: (looks, signal) => gate.then(() => model.score(looks, signal)) };
    await using service = await start({ MAX_WAITING: 1 }, slow);
    const uploads = [6, 7, 8].map(async (seed) => {
      const caller = signedCaller({ audience: 'moderation', organisationId: seed });
      return (await post(service, await photographLikeJpeg({ seed }), caller)).status;
    });
    expect(await Promise.race(uploads)).toBe(503);
    open();
    expect((await Promise.all(uploads)).toSorted((one, other) => one - other)).toEqual([200, 200, 503]);
  });

  it('keeps no verdict that was not reached', async () => {
    const picture = await photographLikeJpeg({ seed: 9 });
    await using broken = await start(
      {},
      { ...model, score: () => Promise.reject(serviceUnavailable('it failed')) },
    );
    expect((await post(broken, picture)).status).toBe(503);
    expect((await verdictOn(under, picture)).verdict).toBe('allowed');
  });
});
