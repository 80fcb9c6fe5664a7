/** GET /images/{name}: pictures for whoever has a signed address. */
import { createHmac } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { createdId } from '../forms.ts';
import { type OffersUnderTest, patiently, startOffersUnderTest } from '../offers-under-test.ts';

const HOUR = 3_600_000;

let under: OffersUnderTest;
let folder: string;
beforeAll(async () => {
  under = await startOffersUnderTest();
  folder = fileURLToPath(under.config.IMAGE_STORE_URL);
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(() => under.clock.set('2026-06-01T12:00:00Z'));

/** The address that the listing gives, at the service itself. */
async function listedAddress(): Promise<URL> {
  await createdId(under);
  const { body } = await under.call('GET', '/offers?environment=test');
  const [offer] = (body as { data: { image: string }[] }).data;
  return atTheService(offer!.image);
}

/** Reads the whole reply, as browsers do: one that is not read keeps the service waiting. */
async function statusOf(address: URL): Promise<number> {
  const { status } = await patiently(async () => {
    const response = await fetch(address);
    await response.arrayBuffer();
    return { status: response.status };
  });
  return status;
}

function atTheService(address: string): URL {
  const { pathname, search } = new URL(address);
  return new URL(pathname + search, under.offers.url);
}

/** As only who knows the secret can: for names that the service never gave. */
function signed(name: string): URL {
  const expires = String(under.clock.now().getTime() / 1_000 + 60);
  const mac = createHmac('sha256', under.config.IMAGE_URL_SECRET).update(`${name}\n${expires}`);
  const query = `expires=${expires}&signature=${mac.digest('base64url')}`;
  return new URL(`/images/${encodeURIComponent(name)}?${query}`, under.offers.url);
}

describe('a signed address', () => {
  it('shows the cleaned picture without a key, and lets browsers keep it', async () => {
    const response = await fetch(await listedAddress());
    const picture = await photographLikeJpeg();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect(response.headers.get('content-length')).toBe(String(picture.length));
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'");
    // From noon to the noon of the next day and the whole hour after.
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400, immutable');
    expect(Buffer.from(await response.arrayBuffer()).equals(picture)).toBe(true);
  });

  it('tells the same to HEAD, without the picture', async () => {
    const address = await listedAddress();
    const [got, head] = [await fetch(address), await fetch(address, { method: 'HEAD' })];
    await got.arrayBuffer();
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      expect(head.headers.get(name)).toBe(got.headers.get(name));
    }
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
  });

  it('is the same for an hour, so that browsers need not fetch a picture twice', async () => {
    under.clock.set('2026-06-01T12:00:01Z');
    const address = await listedAddress();
    under.clock.set('2026-06-01T12:59:59Z');
    expect((await listedAddress()).href).toBe(address.href);
  });

  it('is good for a day', async () => {
    const address = await listedAddress();
    under.clock.advance(24 * HOUR - 1);
    expect(await statusOf(address)).toBe(200);
    under.clock.advance(1);
    expect(await statusOf(address)).toBe(403);
  });

  it('in OfferCreated is good until the offer ends', async () => {
    await under.clearEvents();
    await createdId(under);
    const [created] = await under.events();
    const address = atTheService(String(created?.data.imageUrl));
    under.clock.set('2026-06-01T22:59:59.999Z');
    expect(await statusOf(address)).toBe(200);
    under.clock.set('2026-06-01T23:00:00Z');
    expect(await statusOf(address)).toBe(403);
  });

  it('opens nothing once it was altered', async () => {
    const address = await listedAddress();
    const altered = [
      `${address.pathname}?expires=9999999999&signature=${address.searchParams.get('signature')}`,
      `${address.pathname}?expires=${address.searchParams.get('expires')}`,
      `${address.pathname}?expires=NaN&signature=${address.searchParams.get('signature')}`,
      `${address.pathname}${address.search}&expires=9999999999`,
      `${address.pathname}${address.search}==`,
      `${address.pathname.replace(/[0-9a-f]\./, 'x.')}${address.search}`,
      `/images/..%2f..%2fetc%2fpasswd${address.search}`,
      address.pathname,
    ];
    for (const path of altered) {
      const response = await fetch(under.offers.url + path);
      expect(response.status).toBe(403);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toEqual({ message: 'This image address is not valid or has expired' });
    }
  });

  it.each([
    '../package.json',
    'images.svg',
    `${'0'.repeat(64)}-${'0'.repeat(16)}.jpg`,
    '%00',
    `${'0'.repeat(64)}-${'0'.repeat(16)}.jpg/..`,
  ])('of %j shows nothing, whoever signed it', async (name) => {
    const response = await fetch(signed(name));
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ message: 'Not found' });
  });
});

describe('a picture', () => {
  it('that somebody removed by hand is 404, and is back when the same one is kept again', async () => {
    const address = await listedAddress();
    for (const name of await readdir(folder)) await rm(join(folder, name));
    expect(await statusOf(address)).toBe(404);
    await createdId(under);
    expect(await statusOf(address)).toBe(200);
  });

  it('goes on being served to others when a browser leaves in the middle', async () => {
    const address = await listedAddress();
    const leave = async () => {
      const socket = connect(Number(address.port), address.hostname);
      socket.write(`GET ${address.pathname}${address.search} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await new Promise((resolve) => socket.once('readable', resolve));
      socket.resetAndDestroy();
    };
    for (let count = 0; count < 20; count += 1) await leave();
    const response = await fetch(address);
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe((await photographLikeJpeg()).length);
  });

  it('cannot be shown while the store is away: 503, and again when it is back', async () => {
    const address = await listedAddress();
    await rename(folder, `${folder}-away`);
    expect(await statusOf(address)).toBe(503);
    await rename(`${folder}-away`, folder);
    expect(await statusOf(address)).toBe(200);
  });
});
