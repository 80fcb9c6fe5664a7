/** The commands on an organisation's test clock. */
import type { Refused } from '@offer-ads/contracts/values/refused';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { OffersContext } from '../context.ts';
import { type Advance, type AdvanceRefusal, advanceClock } from '../domain/test-clock.ts';
import { announceByTestClock } from '../lifecycle/sweeper.ts';
import { isAnyDue } from '../offers-store.ts';
import { later, moveClock, type ResetRefusal, readAheadSeconds, resetClock } from './test-clock-store.ts';

/** `isAnnounced`: the starts and ends that have come by it are written. */
export type TestClock = { readonly now: Date; readonly aheadSeconds: number; readonly isAnnounced: boolean };

type Outcome<Refusal extends object> = { readonly ok: true; readonly clock: TestClock } | Refused<Refusal>;

type Timing = { readonly receivedAt: Date; readonly deadline: Deadline };
type Parts = Pick<OffersContext, 'postgres' | 'clock' | 'logger'>;

/** Left for the reply when announcing stops; the sweeper announces the rest. */
const REPLY_MS = 1_000;

export async function readTestClock(o: Parts, organisationId: number): Promise<TestClock> {
  const owner = { organisationId, mode: 'TEST' } as const;
  const aheadSeconds = await readAheadSeconds(o.postgres, owner);
  const isAnnounced = !(await isAnyDue(o.postgres, organisationId, o.clock.now()));
  return clockAt(o, aheadSeconds, isAnnounced);
}

/** Answers when the starts and ends of the organisation's offers are written that have come by the advance, or when the time is over. */
export async function advanceTestClock(
  o: Parts,
  organisationId: number,
  advance: Advance,
  { receivedAt, deadline }: Timing,
): Promise<Outcome<AdvanceRefusal>> {
  const decide = (aheadSeconds: number) => advanceClock(aheadSeconds, advance, receivedAt);
  const moved = await moveClock(o.postgres, organisationId, decide, deadline);
  if (!moved.ok) return moved;
  return { ok: true, clock: clockAt(o, moved.aheadSeconds, await announce(o, organisationId, deadline)) };
}

/** Never rejects: the clock has moved, so a caller who were told of a failure might move it again. */
async function announce(o: Parts, organisationId: number, deadline: Deadline): Promise<boolean> {
  try {
    return await announceByTestClock(o, organisationId, () => deadline.remainingMs() < REPLY_MS);
  } catch (error) {
    o.logger.warn(
      { error },
      'starts and ends by a test clock could not be announced and will be tried again',
    );
    return false;
  }
}

/** Announces ends first: offers that have ended by the clock are no reason to refuse. */
export async function resetTestClock(
  o: Parts,
  organisationId: number,
  { deadline }: Timing,
): Promise<Outcome<ResetRefusal>> {
  await announce(o, organisationId, deadline);
  const reset = await resetClock(o.postgres, organisationId, deadline);
  return reset.ok ? { ok: true, clock: clockAt(o, 0, true) } : reset;
}

function clockAt(o: Parts, aheadSeconds: number, isAnnounced: boolean): TestClock {
  return { now: later(o.clock.now(), aheadSeconds), aheadSeconds, isAnnounced };
}
