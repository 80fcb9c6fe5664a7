import { expect, it } from '@jest/globals';
import { Unopenable } from '../domain/picture-limits.ts';
import { tookTooLong } from './admission.ts';
import { recognise } from './judge-picture.ts';

it('a picture of a person who decides is a 422 when there was no time to open it: that says nothing about it', async () => {
  const { signal } = new AbortController();
  const opening = (error: Error) => {
    const run = async () => {
      throw error;
    };
    return recognise(new Uint8Array(), { decoder: { run: run as never }, signal });
  };
  expect(await opening(new Unopenable('damaged'))).toEqual({ ok: false, reason: 'unreadable' });
  await expect(opening(tookTooLong('killed'))).rejects.toMatchObject({ status: 422 });
});
