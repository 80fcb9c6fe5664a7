/** GET /images/{name}: pictures for whoever has a signed address. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { photographLikeJpeg } from '@offer-ads/testing/pictures';
import { createdId } from './forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});

/** The address that the listing gives, at the service itself. */
async function listedAddress(): Promise<URL> {
  await createdId(under);
  const { body } = await under.call('GET', '/offers?environment=test');
  const [offer] = (body as { data: { image: string }[] }).data;
  const { pathname, search } = new URL(offer!.image);
  return new URL(pathname + search, under.offers.url);
}

describe('a signed address', () => {
  it('shows the cleaned picture without a key, and lets browsers keep it', async () => {
    const response = await fetch(await listedAddress());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+, immutable$/);
    expect(Buffer.from(await response.arrayBuffer()).equals(await photographLikeJpeg())).toBe(true);
  });

  it('is good for a day', async () => {
    const address = await listedAddress();
    const now = under.clock.now();
    under.clock.advance(24 * 3_600_000 - 1);
    expect((await fetch(address)).status).toBe(200);
    under.clock.advance(3_600_000 + 1);
    expect((await fetch(address)).status).toBe(403);
    under.clock.set(now);
  });

  it('opens nothing once it was altered', async () => {
    const address = await listedAddress();
    const altered = [
      `${address.pathname}?expires=9999999999&signature=${address.searchParams.get('signature')}`,
      `${address.pathname}?expires=${address.searchParams.get('expires')}`,
      `${address.pathname.replace(/[0-9a-f]\./, 'x.')}${address.search}`,
      `/images/..%2f..%2fetc%2fpasswd${address.search}`,
      address.pathname,
    ];
    for (const path of altered) {
      expect((await fetch(under.offers.url + path)).status).toBe(403);
    }
  });
});
