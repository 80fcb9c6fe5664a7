/** traffic-intake.int.test.ts compares the sums of any events, in any order, with a model. */
import { expect, it } from '@jest/globals';
import { noteSightings } from './traffic.ts';

const hour = new Date('2026-06-01T12:00:00Z');

it.each([
  [100, 'a person', false],
  [101, 'a bot', true],
])('a viewer of %d different offers in an hour is %s', (offers, _, isBot) => {
  const views = Array.from(
    { length: offers },
    (_one, index) => ({ offerId: index + 1, hour, kind: 'view', viewer: 'v', automated: false }) as const,
  );
  expect(noteSightings(new Map(), views).after === 'automated').toBe(isBot);
});
