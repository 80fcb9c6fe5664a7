/** The store of pictures fails while the service runs: creations wait for it, and nothing else does. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { created, nothing, tracesIn } from '../creation/creating.ts';
import { create, createdId, form } from '../forms.ts';
import { offersUnderTest, startAfresh } from '../offers-under-test.ts';
import { listedAddress } from './listed-picture.ts';
import { type S3StandIn, startS3StandIn } from './s3-stand-in.ts';

/** Within this time the service answers (decision 23, deadlines and outages). */
const NOTICED_MS = 3_000;

let s3: S3StandIn;
const under = offersUnderTest(async (opened) => {
  s3 = opened.use(await startS3StandIn());
  return { settings: s3.config };
});
beforeEach(async () => {
  s3.before = async () => undefined;
  s3.breakAfterBytes = Number.POSITIVE_INFINITY;
  // Until the breakers that an earlier test opened are closed.
  await eventually(async () => {
    await createdId(under);
    const response = await fetch(await listedAddress(under));
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the picture is ${response.status}`);
  });
  await startAfresh(under);
});

const failures = {
  away: async () => ({ status: 503, code: 'SlowDown' }),
  hanging: () => new Promise<never>(() => {}),
} as const satisfies Record<string, S3StandIn['before']>;

describe.each(Object.entries(failures))('while the store is %s', (_, failure) => {
  it('a creation is 503 in time, creates and charges nothing, and its key goes on afterwards', async () => {
    const key = randomUUID();
    s3.before = failure;
    const answer = await inTime(NOTICED_MS, () => create(under, {}, { key, once: true }));
    expect(answer).toMatchObject({ status: 503, body: { message: 'Service unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(await tracesIn(under)).toEqual({ ...nothing, keys: 1 });

    s3.before = async () => undefined;
    // A breaker may have opened.
    await eventually(async () => expect(await create(under, {}, { key })).toMatchObject(created));
    expect(under.otherServices.billing.charges()).toBe(1);
    const picture = await fetch(await listedAddress(under));
    expect((await picture.arrayBuffer()).byteLength).toBe((await photographLikeJpeg()).length);
  });

  it('pictures are 503 in time; offers are listed, paused and deleted; the service is ready', async () => {
    const id = await createdId(under);
    const address = await listedAddress(under);
    s3.before = failure;
    const answer = await inTime(NOTICED_MS, () => fetch(address));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([503, 'no-store']);
    expect((await under.call('GET', '/offers?environment=test')).status).toBe(200);
    expect((await under.call('POST', `/offers/${id}/pause`)).status).toBe(200);
    expect((await under.call('DELETE', `/offers/${id}`)).status).toBe(200);
    await eventually(async () => expect((await fetch(`${under.offers.url}/readyz`)).status).toBe(200));
  });
});

it('a picture that the store breaks off is broken off for the browser, so that no half picture looks whole', async () => {
  await createdId(under);
  const address = await listedAddress(under);
  s3.breakAfterBytes = 1_000;
  await eventually(() =>
    expect(fetch(address).then((response) => response.arrayBuffer())).rejects.toThrow('terminated'),
  );
});

it('a caller who disconnects while the picture is being stored creates nothing, and the key goes on at once', async () => {
  const key = randomUUID();
  const asked = Promise.withResolvers<void>();
  s3.before = () => {
    asked.resolve();
    return new Promise<never>(() => {});
  };
  const upload = new Response(await form());
  // Not fetch, which opens another connection after a broken one.
  const reply = request(`${under.offers.url}/offers`, {
    method: 'POST',
    headers: {
      ...signedCaller({ audience: 'offers' }),
      'Idempotency-Key': key,
      'Content-Type': upload.headers.get('content-type') ?? '',
    },
  });
  reply.on('error', () => {});
  reply.end(Buffer.from(await upload.arrayBuffer()));
  await asked.promise;
  reply.destroy();
  s3.before = async () => undefined;
  await eventually(async () => expect(await create(under, {}, { key })).toMatchObject(created));
  expect(under.otherServices.billing.charges()).toBe(1);
});

it('a service that starts while the store is away serves', async () => {
  s3.before = failures.away;
  await using replica = await under.startReplica();
  expect((await fetch(`${replica.url}/readyz`)).status).toBe(200);
});
