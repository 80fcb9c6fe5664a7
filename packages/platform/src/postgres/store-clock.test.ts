import { describe, expect, it } from '@jest/globals';
import { createStoreClock } from './store-clock.ts';

function clockAt(localMs: number) {
  const local = { ms: localMs };
  return { local, clock: createStoreClock(() => local.ms) };
}

describe('the clock of a store', () => {
  it('is unknown until it was heard of, and then goes on with the local one', () => {
    const { local, clock } = clockAt(5_000);
    expect(clock.nowMs()).toBeUndefined();
    clock.note(1_000_000);
    local.ms += 300;
    expect(clock.nowMs()).toBe(1_000_300);
  });

  it('keeps the note that was on its way for the shortest time', () => {
    const { local, clock } = clockAt(0);
    clock.note(1_000_000);
    local.ms = 500;
    clock.note(1_000_100);
    expect(clock.nowMs()).toBe(1_000_500);
    clock.note(1_000_520);
    expect(clock.nowMs()).toBe(1_000_520);
  });

  it('follows a store whose clock was set back within a minute, and one that was set forward at once', () => {
    const { local, clock } = clockAt(0);
    clock.note(1_000_000);
    clock.note(1_005_000);
    expect(clock.nowMs()).toBe(1_005_000);
    local.ms = 60_000;
    clock.note(1_050_000);
    expect(clock.nowMs()).toBe(1_050_000);
  });
});
