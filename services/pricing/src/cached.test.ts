import { expect, it } from '@jest/globals';
import { cache } from './cached.ts';

it('a cached value is the result of the read that began last, even when an older one ends later', async () => {
  const reads: PromiseWithResolvers<string>[] = [];
  const opening = cache(() => {
    reads.push(Promise.withResolvers());
    return reads.at(-1)!.promise;
  });
  reads[0]!.resolve('first');
  const cached = await opening;
  const older = cached.refresh();
  const newer = cached.refresh();
  reads[2]!.resolve('newer');
  await newer;
  reads[1]!.resolve('older');
  await older;
  expect(cached.current()).toBe('newer');
});

it('a value stays cached while it cannot be read', async () => {
  let stored: string | undefined;
  const read = async () => stored ?? Promise.reject(new Error('mongo is away'));
  await expect(cache(read)).rejects.toThrow('away');
  stored = 'first';
  const cached = await cache(read);
  stored = undefined;
  await expect(cached.refresh()).rejects.toThrow('away');
  expect(cached.current()).toBe('first');
});
