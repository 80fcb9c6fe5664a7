import { expect, it } from '@jest/globals';
import { hold } from './held.ts';

it('a held value is the result of the read that began last, even when an older one ends later', async () => {
  const reads: PromiseWithResolvers<string>[] = [];
  const opening = hold(() => {
    reads.push(Promise.withResolvers());
    return reads.at(-1)!.promise;
  });
  reads[0]!.resolve('first');
  const held = await opening;
  const older = held.refresh();
  const newer = held.refresh();
  reads[2]!.resolve('newer');
  await newer;
  reads[1]!.resolve('older');
  await older;
  expect(held.current()).toBe('newer');
});

it('a value stays held while it cannot be read', async () => {
  let stored: string | undefined;
  const read = async () => stored ?? Promise.reject(new Error('mongo is away'));
  await expect(hold(read)).rejects.toThrow('away');
  stored = 'first';
  const held = await hold(read);
  stored = undefined;
  await expect(held.refresh()).rejects.toThrow('away');
  expect(held.current()).toBe('first');
});
