/** GET /images/{name}: the signature in the address is the permission. */
import { createHmac } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { renditionName } from '../../src/images/images.ts';
import { createdId } from '../forms.ts';
import { offersUnderTest, patiently } from '../offers-under-test.ts';
import { atTheService, folderOf, listedAddress } from './listed-picture.ts';

const HOUR = 3_600_000;

const under = offersUnderTest();
const absent = `${'0'.repeat(64)}-${'0'.repeat(16)}-320x240.jpg`;
const folder = () => folderOf(under);

async function newAddress(): Promise<URL> {
  await createdId(under);
  return listedAddress(under);
}

/** Reads the whole reply, as browsers do. */
async function statusOf(address: URL): Promise<number> {
  const { status } = await patiently(async () => {
    const response = await fetch(address);
    await response.arrayBuffer();
    return { status: response.status };
  });
  return status;
}

/** Signs any name, which only the holder of the secret can do. */
function signed(name: string): URL {
  const expires = String(under.clock.now().getTime() / 1_000 + 60);
  const mac = createHmac('sha256', under.config.IMAGE_URL_SECRET).update(`${name}\n${expires}`);
  const query = `expires=${expires}&signature=${mac.digest('base64url')}`;
  return new URL(`/images/${encodeURIComponent(name)}?${query}`, under.offers.url);
}

describe('a signed address', () => {
  it('shows the cleaned picture without a key, and browsers may cache it', async () => {
    const response = await fetch(await newAddress());
    const picture = await photographLikeJpeg();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(picture.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'",
      // One day after the next full hour, which is now.
      'cache-control': 'public, max-age=86400, immutable',
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(picture)).toBe(true);
  });

  it('is answered for HEAD as for GET, without the picture', async () => {
    const address = await newAddress();
    const [got, head] = [await fetch(address), await fetch(address, { method: 'HEAD' })];
    await got.arrayBuffer();
    for (const name of ['content-type', 'content-length', 'cache-control'])
      expect(head.headers.get(name)).toBe(got.headers.get(name));
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('is the same for an hour, so that browsers use their cached picture', async () => {
    under.clock.set('2026-06-01T12:00:01Z');
    const address = await newAddress();
    under.clock.set('2026-06-01T12:59:59Z');
    expect((await newAddress()).href).toBe(address.href);
  });

  it('expires after a day', async () => {
    const address = await newAddress();
    under.clock.advance(24 * HOUR - 1);
    expect(await statusOf(address)).toBe(200);
    under.clock.advance(1);
    expect(await statusOf(address)).toBe(403);
  });

  it('in OfferCreated expires when the offer ends', async () => {
    await createdId(under);
    const [created] = await under.events();
    const address = atTheService(under, String(created?.data.imageUrl));
    under.clock.set('2026-06-01T22:59:59.999Z');
    expect(await statusOf(address)).toBe(200);
    under.clock.set('2026-06-01T23:00:00Z');
    expect(await statusOf(address)).toBe(403);
  });

  it('opens nothing once it was altered', async () => {
    const { pathname, search, searchParams } = await newAddress();
    const [expires, signature] = [searchParams.get('expires'), searchParams.get('signature')];
    for (const path of [
      `${pathname}?expires=9999999999&signature=${signature}`,
      `${pathname}?expires=${expires}`,
      `${pathname}?expires=NaN&signature=${signature}`,
      `${pathname}${search}&expires=9999999999`,
      `${pathname}${search}==`,
      `${pathname.replace(/[0-9a-f]\./, 'x.')}${search}`,
      `/images/..%2f..%2fetc%2fpasswd${search}`,
      pathname,
    ]) {
      const response = await fetch(under.offers.url + path);
      expect([response.status, response.headers.get('cache-control')]).toEqual([403, 'no-store']);
      expect(await response.json()).toEqual({ message: 'This image address is not valid or has expired' });
    }
  });

  it.each([
    '../package.json',
    'images.svg',
    `${'0'.repeat(64)}-${'0'.repeat(16)}.jpg`,
    absent,
    renditionName(absent, 160),
    '%00',
  ])('of %j shows nothing, even with a right signature', async (name) => {
    const response = await fetch(signed(name));
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await response.json()).toEqual({ message: 'Not found' });
  });
});

describe('a picture', () => {
  it('that was removed by hand is 404, and is back when the same one is stored again', async () => {
    const address = await newAddress();
    for (const name of await readdir(await folder())) await rm(join(await folder(), name));
    expect(await statusOf(address)).toBe(404);
    await createdId(under);
    expect(await statusOf(address)).toBe(200);
  });

  it('is served to others after many browsers disconnected in the middle of it', async () => {
    const address = await newAddress();
    for (let count = 0; count < 20; count += 1) {
      const socket = connect(Number(address.port), address.hostname);
      socket.write(`GET ${address.pathname}${address.search} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await new Promise((resolve) => socket.once('readable', resolve));
      socket.resetAndDestroy();
    }
    const response = await fetch(address);
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe((await photographLikeJpeg()).length);
  });
});
