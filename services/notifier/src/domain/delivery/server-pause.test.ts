import { describe, expect, it } from '@jest/globals';
import type { AttemptResult } from './attempt.ts';
import { healthAfter, healthy, isPaused, needsProbe } from './server-pause.ts';

const start = new Date('2026-06-01T12:00:00.000Z');
const later = (ms: number) => new Date(start.getTime() + ms);
const down: AttemptResult = { outcome: 'unavailable', problem: 'connection refused' };
const throttled: AttemptResult = {
  outcome: 'deferred',
  problem: '421 slow down',
  slowDown: true,
  uncertain: false,
};

/** The pauses after consecutive failures. */
function pauses(count: number): number[] {
  let health = healthy;
  let now = start;
  return Array.from({ length: count }, () => {
    health = healthAfter(health, down, now);
    const pauseMs = (health.pausedUntil?.getTime() ?? 0) - now.getTime();
    now = new Date(now.getTime() + pauseMs);
    return pauseMs / 1_000;
  });
}

describe('a mail server that takes no mails', () => {
  it('is paused for longer each time, and at most for a minute', () => {
    expect(pauses(9)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it.each([
    ['is not there', down],
    ['throttles', throttled],
  ])('that %s stops all mails, and one finds out whether it is back', (_what, attempt) => {
    const health = healthAfter(healthy, attempt, start);
    expect([isPaused(health, later(999)), isPaused(health, later(1_000))]).toEqual([true, false]);
    expect(needsProbe(health)).toBe(true);
  });

  it('counts once when several mails fail at the same time', () => {
    const once = healthAfter(healthy, down, start);
    expect([down, down, down].reduce((health, attempt) => healthAfter(health, attempt, later(1)), once)).toBe(
      once,
    );
  });

  it.each<AttemptResult>([
    { outcome: 'accepted', reply: '250' },
    { outcome: 'refused', problem: '550', unknownMailbox: true },
    { outcome: 'deferred', problem: '450 greylisted', slowDown: false, uncertain: false },
  ])('is well again once it has answered for a mail: $outcome', (attempt) => {
    const health = healthAfter(healthAfter(healthy, down, start), attempt, later(1_000));
    expect(needsProbe(health)).toBe(false);
    expect(isPaused(health, later(1_000))).toBe(false);
  });

  it('is not paused for hours because a clock was set back', () => {
    expect(isPaused(healthAfter(healthy, down, start), later(-3_600_000))).toBe(false);
  });
});
