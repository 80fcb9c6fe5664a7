/** Pictures in the widths that a page asks for: made at the first request, by moderation, and stored beside the picture. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type PlacementsRequest, placementsReply } from '@offer-ads/contracts/community/placements-api';
import { readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import { renditionWidths } from '@offer-ads/contracts/pictures/renditions';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { databaseId } from '../../src/images/images-store.ts';
import { created } from '../creation/creating.ts';
import { create, createdId, startingNow } from '../forms.ts';
import { type OffersUnderTest, offersUnderTest, startAfresh } from '../offers-under-test.ts';
import { pausePoint } from '../pause-point.ts';
import { askForPlacements } from '../placements/placing.ts';
import { atTheService } from './listed-picture.ts';
import { type S3StandIn, startS3StandIn } from './s3-stand-in.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const whole = { width: 700, height: 500 };
const here = { latitude: 51.5074, longitude: -0.1278, gender: 'Female', wanted: 20 };
const photograph = photographLikeJpeg(whole);

type Shown = {
  readonly image: URL;
  readonly renditions: readonly { width: number; height: number; url: URL }[];
};

/** image-stores.int.test.ts tests that a folder keeps them as a bucket does. */
describe('with pictures in a bucket', () => {
  let s3: S3StandIn;
  const under = offersUnderTest(async (opened) => {
    s3 = opened.use(await startS3StandIn());
    return { settings: s3.config };
  });
  beforeEach(async () => {
    s3.before = async () => undefined;
    // A breaker may be open since the test before.
    await eventually(async () => {
      const [rendition] = (await shownNew(under)).renditions;
      const { width } = await load(rendition!.url);
      if (width !== 160) throw new Error('renditions are not made');
    });
    await startAfresh(under);
  });

  const stored = async (): Promise<string[]> => {
    const prefix = `${s3.settings.prefix}${await databaseId(under.postgres)}/`;
    return [...s3.objects.keys()].map((key) => key.slice(prefix.length));
  };
  const storedWith = async ({ image }: Shown) => {
    const [hash = ''] = nameIn(image).split('-');
    return (await stored()).filter((name) => name.startsWith(hash)).toSorted();
  };

  it('a rendition has the size that the reply says, may be cached like the picture, and is made once for all replicas', async () => {
    const second = await under.startReplica();
    const calls = renditionCalls(under);
    const { image, renditions } = await shownNew(under, [...renditionWidths]);
    expect(renditions.map(({ width, height }) => `${width}x${height}`)).toEqual([
      '160x114',
      '320x229',
      '640x457',
      '700x500',
    ]);
    expect(renditions.at(-1)?.url.href).toBe(image.href);
    for (const { width, height, url } of renditions) {
      const first = await load(url);
      expect(first).toMatchObject({ status: 200, width, height, cached: 'public, max-age=86400, immutable' });
      const again = await load(new URL(url.pathname + url.search, second.url));
      expect(again.bytes.equals(first.bytes)).toBe(true);
    }
    expect(calls.count).toBe(3);
  });

  it('a rendition that many browsers ask for at once is made once', async () => {
    const calls = renditionCalls(under);
    const { renditions } = await shownNew(under);
    const many = renditions.flatMap(({ url }) => Array<URL>(15).fill(url));
    const askedAt = performance.now();
    const loaded = await Promise.all(
      many.map(async (url) => {
        const { width } = await load(url);
        return { width, ms: performance.now() - askedAt };
      }),
    );
    // The whole picture is shown only to a browser that has waited for three seconds, which a busy machine may need.
    const wrong = ({ width, ms }: { width: number; ms: number }, at: number) =>
      width !== renditions[Math.floor(at / 15)]?.width && (width !== whole.width || ms < 3_000);
    expect(loaded.filter(wrong)).toEqual([]);
    for (const { url, width } of renditions)
      await eventually(async () => expect(await load(url)).toMatchObject({ width }));
    expect(calls.count).toBe(3);
  });

  it('an address with another width, or none, opens nothing, and nothing is made', async () => {
    const { renditions } = await shownNew(under);
    const before = await stored();
    const calls = renditionCalls(under);
    const { url } = renditions[1]!;
    for (const changed of ['_160', '_640', '_99999', '_0320', '_321', '_320_160', ''])
      expect(await load(new URL(url.href.replace('_320', changed)))).toMatchObject({ status: 403 });
    expect([calls.count, await stored()]).toEqual([0, before]);
  });

  it('while moderation is away the whole picture is shown and cached for a minute, then the rendition is made', async () => {
    const calls = renditionCalls(under);
    const { renditions } = await shownNew(under);
    under.otherServices.moderation.breaks.beforeWork = Number.POSITIVE_INFINITY;
    const [{ url }] = renditions as [Shown['renditions'][number]];
    expect(await load(url)).toMatchObject({ status: 200, ...whole, cached: 'public, max-age=60' });
    under.otherServices.reset();
    const inMinute = renditionCalls(under);
    under.clock.advance(MINUTE - 1);
    expect(await load(url)).toMatchObject(whole);
    expect(inMinute.count).toBe(0);
    under.clock.advance(1);
    expect(await load(url)).toMatchObject({ width: 160, cached: expect.stringContaining('immutable') });
    expect(calls.count).toBeGreaterThan(0);
  });

  it('while moderation hangs the whole picture is shown in time, and the rendition that was begun is kept', async () => {
    const { step, goOn } = pausePoint();
    under.otherServices.onCall = async ({ name }) => (name === 'rendition' ? step() : undefined);
    const { renditions } = await shownNew(under);
    const [{ url }] = renditions as [Shown['renditions'][number]];
    expect(await inTime(5_000, () => load(url))).toMatchObject({ ...whole, cached: 'public, max-age=60' });
    goOn();
    const calls = renditionCalls(under);
    await eventually(async () => expect(await load(url)).toMatchObject({ width: 160 }));
    expect(calls.count).toBe(0);
  });

  it.each(['wrong shape', 'connection cut in it'] as const)(
    'when moderation answers %s, the whole picture is shown, and nothing is stored',
    async (spoiling) => {
      const shown = await shownNew(under);
      under.otherServices.spoilt = { rendition: spoiling };
      for (const { url } of shown.renditions)
        expect(await load(url)).toMatchObject({ status: 200, ...whole, cached: 'public, max-age=60' });
      expect(await storedWith(shown)).toEqual([nameIn(shown.image)]);
    },
  );

  it('a rendition of a picture that no offer needs any more is not made', async () => {
    const { renditions } = await shownNew(under);
    const calls = renditionCalls(under);
    await under.postgres.query('UPDATE offers SET deleted_at = $1', [under.clock.now()]);
    expect(await load(renditions[0]!.url)).toMatchObject({ status: 200, ...whole });
    expect(calls.count).toBe(0);
  });

  it('renditions are removed with their picture', async () => {
    const shown = await shownNew(under);
    for (const { url } of shown.renditions) await load(url);
    expect(await storedWith(shown)).toHaveLength(4);
    await under.postgres.query('UPDATE offers SET deleted_at = $1', [under.clock.now()]);
    await removeAfter(30 * DAY - 1);
    expect(await storedWith(shown)).toHaveLength(4);
    await removeAfter(2);
    expect(await storedWith(shown)).toEqual([]);
  });

  it('a rendition that reaches the store after its picture was removed does not stay', async () => {
    const shown = await shownNew(under);
    const { step, reached, goOn } = pausePoint();
    under.otherServices.onCall = async ({ name }) => (name === 'rendition' ? step() : undefined);
    const [{ url }] = shown.renditions as [Shown['renditions'][number]];
    const loading = load(url);
    await reached;
    await under.postgres.query('UPDATE offers SET deleted_at = $1', [under.clock.now()]);
    await removeAfter(31 * DAY);
    expect(await storedWith(shown)).toEqual([]);
    goOn();
    await loading;
    await eventually(async () => expect(await storedWith(shown)).toEqual([]));
  });

  it('while the store is away its address is 503, and serves again when the store is back', async () => {
    const [{ url }] = (await shownNew(under)).renditions as [Shown['renditions'][number]];
    s3.before = async () => ({ status: 503, code: 'ServiceUnavailable' });
    expect(await load(url)).toMatchObject({ status: 503, cached: 'no-store' });
    s3.before = async () => undefined;
    await eventually(async () => expect(await load(url)).toMatchObject({ width: 160 }));
  });

  it('while the store is full the whole picture is shown', async () => {
    const shown = await shownNew(under);
    s3.before = async (operation) =>
      operation === 'PUT' ? { status: 507, code: 'InsufficientStorage' } : undefined;
    for (const { url } of shown.renditions)
      expect(await load(url)).toMatchObject({ status: 200, ...whole, cached: 'public, max-age=60' });
    expect(await storedWith(shown)).toEqual([nameIn(shown.image)]);
  });

  it('renditions that fail do not stop creations', async () => {
    await Promise.all(Array.from({ length: 8 }, () => createNew(under)));
    const pictures = await shownAll(under);
    under.otherServices.moderation.breaks.beforeWork = Number.POSITIVE_INFINITY;
    await Promise.all(pictures.flatMap(({ renditions }) => renditions.map(({ url }) => load(url))));
    const metrics = await (await fetch(`${under.offers.adminUrl}/metrics`)).text();
    const opened = (target: string) =>
      new RegExp(`^circuit_breaker_opened_total\\{[^}]*target="${target}"[^}]*\\} (\\d+)$`, 'm').exec(
        metrics,
      )?.[1];
    expect([Number(opened('moderation-renditions')) > 0, opened('moderation')]).toEqual([true, '0']);
    under.otherServices.reset();
    expect(await create(under, {}, { once: true })).toMatchObject(created);
  });

  async function removeAfter(ms: number): Promise<void> {
    under.clock.advance(ms);
    await under.offers.imageRemoval.remove();
  }
});

/** An offer with a picture of its own. */
async function createNew(under: OffersUnderTest): Promise<number> {
  const picture = Buffer.concat([await photograph, randomBytes(16)]);
  const parts = { ...startingNow, start_datetime: under.clock.now().toISOString() };
  return createdId(under, parts, { picture });
}

/** Such an offer as `POST /placements` shows it. */
async function shownNew(under: OffersUnderTest, widths?: PlacementsRequest['image_widths']): Promise<Shown> {
  const offerId = await createNew(under);
  const before = await under.postgres.query<{ id: number }>(
    'SELECT offer_id AS id FROM offers WHERE offer_id <> $1',
    [offerId],
  );
  const body = { without_offers: before.map(({ id }) => id), image_widths: widths };
  const [shown] = await shownAll(under, body);
  return shown!;
}

async function shownAll(under: OffersUnderTest, changes: Partial<PlacementsRequest> = {}): Promise<Shown[]> {
  await under.offers.followed.refresh();
  const asked = { ...here, ...changes, image_widths: changes.image_widths ?? [640, 320, 160] };
  const { body } = await askForPlacements(under, asked);
  return placementsReply.parse(body).placements.map(({ image, image_renditions = [] }) => ({
    image: atTheService(under, image),
    renditions: image_renditions.map((it) => ({ ...it, url: atTheService(under, it.url) })),
  }));
}

/** What a browser gets. */
async function load(url: URL) {
  const response = await fetch(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const header = readPictureHeader(bytes, 1);
  const { width, height } = typeof header === 'string' ? { width: 0, height: 0 } : header;
  return { status: response.status, cached: response.headers.get('cache-control'), width, height, bytes };
}

/** Counts the renditions that moderation is asked for from now on. */
function renditionCalls(under: OffersUnderTest) {
  const calls = { count: 0 };
  under.otherServices.onCall = async ({ name, when }) => {
    if (name === 'rendition' && when === 'asked') calls.count += 1;
  };
  return calls;
}

function nameIn(url: URL): string {
  return url.pathname.slice('/images/'.length);
}
