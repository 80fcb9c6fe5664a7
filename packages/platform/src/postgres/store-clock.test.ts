import { describe, expect, it } from '@jest/globals';
import { createStoreClock } from './store-clock.ts';

function clockAt(localMs: number) {
  const local = { ms: localMs };
  return { local, clock: createStoreClock(() => local.ms) };
}

describe('the estimated clock of a store', () => {
  it('is unknown before the first reading, and then advances with the local clock', () => {
    const { local, clock } = clockAt(5_000);
    expect(clock.nowMs()).toBeUndefined();
    clock.note(1_000_000);
    local.ms += 300;
    expect(clock.nowMs()).toBe(1_000_300);
  });

  it('uses the reading that took the shortest time to arrive', () => {
    const { local, clock } = clockAt(0);
    clock.note(1_000_000);
    local.ms = 500;
    clock.note(1_000_100);
    expect(clock.nowMs()).toBe(1_000_500);
    clock.note(1_000_520);
    expect(clock.nowMs()).toBe(1_000_520);
  });

  it('follows a clock that was set forward at once, and one that was set back within a minute', () => {
    const { local, clock } = clockAt(0);
    clock.note(1_000_000);
    clock.note(1_005_000);
    expect(clock.nowMs()).toBe(1_005_000);
    local.ms = 60_000;
    clock.note(1_050_000);
    expect(clock.nowMs()).toBe(1_050_000);
  });
});
