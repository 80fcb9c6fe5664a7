import { describe, expect, it } from '@jest/globals';
import { type Check, statusAfter } from './status.ts';

const names = [
  'postgres',
  'rabbitmq',
  'rate-limit-store',
  'offers',
  'pricing',
  'billing',
  'moderation',
  'notifier',
];
const at = (minute: number) => new Date(Date.UTC(2026, 5, 1, 12, minute));
const checks = (...down: string[]): Check[] =>
  names.map((name) => ({ name, up: !down.includes(name), responseMs: 3 }));

describe('the overall health', () => {
  it.each(['postgres', 'offers', 'pricing', 'billing', 'moderation'])(
    'is down without %s, which an endpoint of the public API needs',
    (name) => {
      expect(statusAfter(null, checks(name), at(0)).overall).toBe('down');
    },
  );

  it.each(['rabbitmq', 'rate-limit-store', 'notifier'])(
    'is degraded without %s, which no request needs',
    (name) => {
      expect(statusAfter(null, checks(name), at(0)).overall).toBe('degraded');
    },
  );
});

describe('a dependency', () => {
  const offersOf = (status: ReturnType<typeof statusAfter>) =>
    status.dependencies.find(({ name }) => name === 'offers');

  it('has the time since which it has been in its state', () => {
    const first = statusAfter(null, checks(), at(0));
    const still = statusAfter(first, checks(), at(1));
    const fallen = statusAfter(still, checks('offers'), at(2));
    const down = statusAfter(fallen, checks('offers'), at(3));
    const back = statusAfter(down, checks(), at(4));
    expect([first, still, fallen, down, back].map((status) => offersOf(status))).toMatchObject([
      { state: 'up', since: at(0) },
      { state: 'up', since: at(0) },
      { state: 'down', since: at(2) },
      { state: 'down', since: at(2) },
      { state: 'up', since: at(4) },
    ]);
  });
});
