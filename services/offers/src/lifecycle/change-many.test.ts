import { expect, it } from '@jest/globals';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { collectingLogger } from '@offer-ads/testing/logger';
import { changeMany } from './change-many.ts';

/** As the driver adds it to errors. */
const withRow = Object.assign(new Error('broken'), { detail: 'Failing row contains (Two for one)' });

it('an offer for which the database has no time is told so, and the others are changed', async () => {
  const { logger, lines } = collectingLogger();
  const { results } = await changeMany([1, 2], logger, async (id) => {
    if (id === 1) throw serviceUnavailable('postgres: too slow', withRow);
    return { done: true, message: 'Offer has been paused' };
  });
  expect(results).toEqual([
    { offer_id: 1, done: false, message: expect.stringContaining('try again') },
    { offer_id: 2, done: true, message: 'Offer has been paused' },
  ]);
  expect(lines.join()).toContain('postgres: too slow');
  expect(lines.join()).not.toContain('Failing row');
});

it('a mistake in the program fails the request', async () => {
  const changing = changeMany([1], collectingLogger().logger, async () => {
    throw new TypeError('offer is undefined');
  });
  await expect(changing).rejects.toThrow(TypeError);
});
