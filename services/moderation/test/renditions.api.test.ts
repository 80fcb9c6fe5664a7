/** POST /internal/renditions: a cleaned picture in a smaller width. */

import { describe, expect, it } from '@jest/globals';
import { readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import { signedCaller } from '@offer-ads/testing/caller';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { gif, jpegOfBytes, photographLikeJpeg, png } from '@offer-ads/testing/pictures/pictures';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import { moderationUnderTest } from './moderation-under-test.ts';
import { blankGif } from './odd-pictures.ts';

const under = forAllTests(() => moderationUnderTest({ PICTURE_SECONDS_PER_HOUR: 1 }));

/** @param headers may replace the caller */
function ask(
  bytes: Uint8Array,
  width: number | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return patiently(() =>
    fetch(`${under.url}/internal/renditions?width=${width}`, {
      method: 'POST',
      headers: {
        ...signedCaller({ audience: 'moderation' }),
        'content-type': 'application/octet-stream',
        ...headers,
      },
      body: new Uint8Array(bytes),
    }),
  );
}

describe('a rendition', () => {
  it.each([
    ['image/jpeg', () => photographLikeJpeg()],
    ['image/png', () => png()],
    ['image/gif', () => gif({ frames: 3 })],
  ] as const)('of an %s has its type and the width that was asked for', async (type, make) => {
    const reply = await ask(await make(), 160);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type]);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    const frames = type === 'image/gif' ? 3 : 1;
    expect(readPictureHeader(bytes, 9)).toMatchObject({ width: 160, height: 120, frames });
  });

  it('can be made of a cleaned picture that is larger than an upload may be', async () => {
    const cleaned = await jpegOfBytes(6 * 2 ** 20);
    expect((await ask(cleaned, 160)).status).toBe(200);
    expect((await ask(new Uint8Array(16 * 2 ** 20 + 1), 160)).status).toBe(413);
  });

  it('costs processor time of the organisation, whose pictures are refused when it is used up', async () => {
    const of = (organisationId: number) => signedCaller({ audience: 'moderation', organisationId });
    // Small enough for a busy machine, which may not take long over one.
    const moving = await blankGif(800, 800, 12);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 40)
      statuses.push((await ask(moving, 640, of(2))).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
    expect((await ask(await photographLikeJpeg(), 160, of(2))).status).toBe(429);
    expect((await ask(await photographLikeJpeg(), 160, of(3))).status).toBe(200);
  });
});

describe('refused', () => {
  it.each([0, 161, 999_999, -160, 'wide', ''])('with 400: width %j', async (width) => {
    const reply = await ask(await photographLikeJpeg(), width);
    expect([reply.status, await reply.json()]).toEqual([400, { message: expect.stringContaining('width') }]);
  });

  it('with 422: a picture that is not wider, or is none', async () => {
    for (const bytes of [await photographLikeJpeg({ width: 160 }), Buffer.alloc(0)])
      expect((await ask(bytes, 160)).status).toBe(422);
  });

  it('with 401 without the caller, and leaves nothing in the store of pictures', async () => {
    const headers = { 'x-caller-context': 'forged' };
    expect((await ask(await photographLikeJpeg(), 160, headers)).status).toBe(401);
    expect((await under.admin('GET /pictures')).body).toMatchObject({ pictures: [] });
  });
});
