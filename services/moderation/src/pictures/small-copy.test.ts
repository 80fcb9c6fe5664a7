import { expect, it } from '@jest/globals';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { maxHeldBytes } from '../domain/picture-limits.ts';
import { pictureMemory } from './picture-memory.ts';
import { cleanPicture } from './pictures.ts';
import { smallCopyOf } from './small-copy.ts';

it('opens a refused picture only when there is memory for it', async () => {
  const clean = await cleanPicture(await photographLikeJpeg(), 10_000);
  if (!clean.ok) throw new Error(clean.problem);
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const others = pictureMemory.run(maxHeldBytes, new AbortController().signal, () => promise);
  const caller = new AbortController();
  const copy = smallCopyOf(clean.picture, caller.signal);
  caller.abort(new Error('there was none in time'));
  await expect(copy).rejects.toThrow('there was none in time');
  end();
  await others;
  expect((await smallCopyOf(clean.picture)).length).toBeGreaterThan(0);
});
