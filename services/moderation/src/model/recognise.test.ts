import { expect, it } from '@jest/globals';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { cleanPicture, looksAt } from '../pictures/pictures.ts';
import { tookTooLong } from '../verdicts/admission.ts';
import { recognise } from './recognise.ts';

it('a picture of a person who decides is a 422 when there was no time to open it: that says nothing about it', async () => {
  const broken = (await photographLikeJpeg()).subarray(0, -500);
  expect(
    await recognise(broken, { cleanPicture: (upload) => cleanPicture(upload, 60_000), looksAt }),
  ).toEqual({ ok: false, reason: 'unreadable' });
  const late = { cleanPicture: () => Promise.reject(tookTooLong('killed')), looksAt };
  await expect(recognise(broken, late)).rejects.toMatchObject({ status: 422 });
});
