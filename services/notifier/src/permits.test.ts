import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createPermits } from './permits.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('are given to those who wait, in their order', async () => {
  const permits = createPermits({ atOnce: 1, waitMs: 100 });
  const order: string[] = [];
  const taken = ['first', 'second', 'third'].map((name) => permits.take().then(() => order.push(name)));
  await taken[0];
  expect(order).toEqual(['first']);
  permits.giveBack();
  permits.giveBack();
  await Promise.all(taken);
  expect(order).toEqual(['first', 'second', 'third']);
});

it('are refused after the wait, and are then left for others', async () => {
  const permits = createPermits({ atOnce: 1, waitMs: 100 });
  expect(await permits.take()).toBe(true);
  const refused = permits.take();
  await jest.advanceTimersByTimeAsync(99);
  const other = permits.take();
  await jest.advanceTimersByTimeAsync(1);
  expect(await refused).toBe(false);
  permits.giveBack();
  expect(await other).toBe(true);
  permits.giveBack();
  expect(await permits.take()).toBe(true);
});
