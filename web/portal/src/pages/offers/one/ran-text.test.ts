import { expect, it } from '@jest/globals';
import { ranText } from './ran-text.ts';

it.each([
  [302_400, 1_209_600, '3.5 of 14 days', '25%'],
  [1_209_599, 1_209_600, '13.9 of 14 days', '99%'],
  [86_400, 86_400, '24 of 24 hours', '100%'],
  [0, 3_600, '0 of 60 minutes', '0%'],
])('%d of %d seconds', (ran, bought, time, share) => {
  expect(ranText(ran, bought)).toEqual({ time, share });
});
