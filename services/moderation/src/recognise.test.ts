import { expect, it } from '@jest/globals';
import { photographLikeJpeg } from '@offer-ads/testing/pictures';
import { recognise } from './recognise.ts';

it('a picture of a person who decides is a 503 when there was no time to open it: that says nothing about it', async () => {
  const broken = (await photographLikeJpeg()).subarray(0, -500);
  expect(await recognise(broken)).toEqual({ ok: false, reason: 'unreadable' });
  await expect(recognise(broken, 0)).rejects.toMatchObject({ status: 503 });
});
