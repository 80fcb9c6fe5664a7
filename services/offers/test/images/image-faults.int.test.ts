/** The store of pictures fails under the running service: creations wait for it, nothing else does. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { signedCaller } from '@offer-ads/testing/caller';
import { silentLogger } from '@offer-ads/testing/logger';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { MARK } from '../../src/images/images.ts';
import { startOffers } from '../../src/service.ts';
import { create, createdId, form } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { type S3StandIn, startS3StandIn } from './s3-stand-in.ts';

/** Within this the service notices and answers (decision 23, deadlines and outages). */
const NOTICED_MS = 3_000;

let s3: S3StandIn;
let under: OffersUnderTest;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  s3 = opened.use(await startS3StandIn());
  const { settings } = s3;
  under = opened.use(
    await startOffersUnderTest({
      settings: {
        IMAGE_STORE_URL: `s3://${settings.bucket}/${settings.prefix}`,
        S3_ENDPOINT: settings.endpoint,
        S3_REGION: settings.region,
        S3_ACCESS_KEY_ID: settings.accessKeyId,
        S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
      },
    }),
  );
});
afterAll(() => opened.disposeAsync());
beforeEach(async () => {
  s3.before = async () => undefined;
  s3.breakAfterBytes = Number.POSITIVE_INFINITY;
  under.otherServices.reset();
  await eventually(serveAgain);
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
  await under.clearEvents();
  under.otherServices.reset();
});

/** Breakers that an earlier test opened are closed again. */
async function serveAgain(): Promise<void> {
  await createdId(under);
  const response = await fetch(await listedAddress());
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`pictures are ${response.status}`);
}

async function expectNothingCreated(): Promise<void> {
  expect(await under.postgres.query('SELECT 1 FROM offers')).toEqual([]);
  expect(under.otherServices.billing.sales.size).toBe(0);
  expect(await under.events()).toEqual([]);
}

async function listedAddress(): Promise<URL> {
  const { body } = await under.call('GET', '/offers?environment=test');
  const [offer] = (body as { data: { image: string }[] }).data;
  const { pathname, search } = new URL(offer!.image);
  return new URL(pathname + search, under.offers.url);
}

const failures = {
  away: async () => ({ status: 503, code: 'SlowDown' }),
  full: async () => ({ status: 507, code: 'InsufficientStorage' }),
  'closed to us': async () => ({ status: 403, code: 'AccessDenied' }),
  hanging: () => new Promise<never>(() => {}),
} as const satisfies Record<string, S3StandIn['before']>;

describe.each(Object.entries(failures))('while the store is %s', (_, failure) => {
  it('a creation is 503 in time: nothing is created or charged, and the same key goes on afterwards', async () => {
    const key = randomUUID();
    s3.before = failure;
    const answer = await inTime(NOTICED_MS, () => create(under, {}, { key, once: true }));
    expect(answer).toMatchObject({ status: 503, body: { message: 'Service unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('2');
    await expectNothingCreated();

    s3.before = async () => undefined;
    // A breaker may have opened, where a slow answer had to be waited for again.
    await eventually(async () =>
      expect(await create(under, {}, { key })).toMatchObject({ status: 200, body: { return_code: 'S1' } }),
    );
    expect(under.otherServices.billing.charges()).toBe(1);
    const picture = await fetch(await listedAddress());
    expect((await picture.arrayBuffer()).byteLength).toBe((await photographLikeJpeg()).length);
  });

  it('pictures are 503 in time, offers can be read, paused and deleted, and the service is ready', async () => {
    const id = await createdId(under);
    const address = await listedAddress();
    s3.before = failure;
    const answer = await inTime(NOTICED_MS, () => fetch(address));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await under.call('GET', '/offers?environment=test')).status).toBe(200);
    expect((await under.call('POST', `/offers/${id}/pause`)).status).toBe(200);
    expect((await under.call('DELETE', `/offers/${id}`)).status).toBe(200);
    await eventually(async () => expect((await fetch(`${under.offers.url}/readyz`)).status).toBe(200));
  });
});

describe('a store that breaks off in the middle of a picture', () => {
  it('breaks the reply off too, so that no browser takes half a picture for a whole one', async () => {
    await createdId(under);
    const address = await listedAddress();
    s3.breakAfterBytes = 1_000;
    await eventually(() =>
      expect(fetch(address).then((response) => response.arrayBuffer())).rejects.toThrow('terminated'),
    );
  });
});

describe('a caller who leaves while the picture is being kept', () => {
  it('gets nothing created, and the same key goes on at once', async () => {
    const key = randomUUID();
    const asked = Promise.withResolvers<void>();
    s3.before = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const upload = new Response(await form());
    // By hand, because fetch opens another connection for the one that was broken.
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
    await eventually(async () => expect((await create(under, {}, { key })).status).toBe(200));
    expect(under.otherServices.billing.charges()).toBe(1);
  });
});

describe('a service that starts while the store is away', () => {
  it('serves, and removes nothing from a store that turns out to belong to another database', async () => {
    s3.before = failures.away;
    await using replica = await startWhenStoresServe(() =>
      startOffers(under.config, { clock: under.clock, logger: silentLogger }),
    );
    expect((await fetch(`${replica.url}/readyz`)).status).toBe(200);
    const mark = s3.settings.prefix + MARK;
    const ours = s3.objects.get(mark)!;
    s3.objects.set(mark, { bytes: Buffer.from(randomUUID()), contentType: undefined });
    s3.before = async () => undefined;
    try {
      await eventually(() => expect(replica.imageRemoval.remove()).rejects.toThrow('another database'));
    } finally {
      s3.objects.set(mark, ours);
    }
    await eventually(() => replica.imageRemoval.remove());
  });
});
