import { beforeEach, describe, expect, it } from '@jest/globals';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { type Begun, type Decisions, keepDecisions } from './decisions.ts';

let clock: TestClock;
let decisions: Decisions;
beforeEach(() => {
  clock = testClock('2026-11-20T09:00:00Z');
  decisions = keepDecisions(clock);
});

/** @param o.seenSecondsAgo when the page was read */
function begin(o: { by: string; about?: readonly string[]; seenSecondsAgo?: number }): Begun {
  const { by, about = ['/organisations/3'], seenSecondsAgo = 0 } = o;
  return decisions.begin({ by, about, action: 'disable', reason: 'unpaid' }, seenSecondsAgo * 1_000);
}

function done(begun: Begun): void {
  if (!begun.ok) throw new Error(begun.message);
  begun.end(true);
}

describe('a person who decides about the same thing as another', () => {
  it('is told who decided what and why, when their page is older than that decision', () => {
    done(begin({ by: 'ann' }));
    clock.advance(40_000);
    expect(begin({ by: 'bo', seenSecondsAgo: 60 })).toEqual({
      ok: false,
      message: 'Meanwhile ann has decided about this, 40 seconds ago: disable, because: unpaid',
    });
  });

  it('is told so while the other decision is under way', () => {
    begin({ by: 'ann' });
    const refused = begin({ by: 'bo' });
    expect([refused.ok, !refused.ok && refused.message]).toEqual([
      false,
      'ann is deciding about this at this moment (disable)',
    ]);
  });

  it('may decide after this warning', () => {
    done(begin({ by: 'ann' }));
    expect(begin({ by: 'bo', seenSecondsAgo: 1 }).ok).toBe(false);
    const insists = { by: 'bo', about: ['/organisations/3'], action: 'enable', reason: 'paid' };
    expect(decisions.begin(insists, null).ok).toBe(true);
  });

  it('may decide when their page is newer than the other decision', () => {
    done(begin({ by: 'ann' }));
    clock.advance(40_000);
    expect(begin({ by: 'bo', seenSecondsAgo: 30 }).ok).toBe(true);
  });

  it('may decide when the other decision failed, and is told of the one before that', () => {
    done(begin({ by: 'ann' }));
    clock.advance(40_000);
    const failed = begin({ by: 'cy', seenSecondsAgo: 30 });
    if (failed.ok) failed.end(false);
    expect(begin({ by: 'bo', seenSecondsAgo: 30 }).ok).toBe(true);
    expect(begin({ by: 'dee', seenSecondsAgo: 60 }).ok).toBe(false);
  });

  it('may decide about something else, and again about their own decision', () => {
    done(begin({ by: 'ann' }));
    expect(begin({ by: 'bo', about: ['/organisations/4'], seenSecondsAgo: 60 }).ok).toBe(true);
    expect(begin({ by: 'ann', seenSecondsAgo: 60 }).ok).toBe(true);
  });

  it('is told when one of several things was decided', () => {
    done(begin({ by: 'ann', about: ['event/a', 'event/b'] }));
    expect(begin({ by: 'bo', about: ['event/b', 'event/c'], seenSecondsAgo: 60 }).ok).toBe(false);
  });
});

it('the latest 2,000 decisions are kept', () => {
  done(begin({ by: 'ann', about: ['first'] }));
  for (let number = 0; number < 2_000; number += 1) done(begin({ by: 'ann', about: [`offer/${number}`] }));
  expect(begin({ by: 'bo', about: ['first'], seenSecondsAgo: 60 }).ok).toBe(true);
  expect(begin({ by: 'bo', about: ['offer/1999'], seenSecondsAgo: 60 }).ok).toBe(false);
});
