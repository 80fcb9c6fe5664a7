/** Buyers go from one journey to the next, each at its own pace, while something happens to the system. Then every purchase is audited. */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '@offer-ads/backing/find';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { keepTrying } from '@offer-ads/platform/process/growing-pauses';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { auditAtRest } from '../audit.ts';
import type { System } from '../system.ts';
import { registerBuyer } from './buyers.ts';
import { runJourney } from './journey.ts';
import { type Allowance, createRetryingCaller } from './retrying-caller.ts';
import { createTally, type Tally } from './tally.ts';

export type LoadOptions = {
  readonly buyers: number;
  /** Between two requests of a buyer, on average. */
  readonly pauseMs: number;
  /** Until journeys of every kind are under way. */
  readonly warmUpMs: number;
  readonly allowance: Allowance;
  /** How long the audit waits. */
  readonly quietWithinMs: number;
  readonly disturb: (tally: Tally) => Promise<void>;
  readonly say: (line: string) => void;
};

/** A system that was just disturbed, on a busy machine, may still answer 503. */
const registeredWithinMs = 60_000;
/** More failures say nothing new. */
const maxFailures = 100;

/** @returns what no document allows: requests that failed, and `problems`, what is lost, doubled or unsound afterwards; `failed` has both */
export async function underLoad(
  system: Pick<System, 'admin' | 'callAdmin' | 'state' | 'stores'>,
  { say, ...o }: LoadOptions,
): Promise<{
  readonly tally: Tally;
  readonly failed: readonly string[];
  readonly problems: readonly string[];
}> {
  await using broker = await connectBroker({
    url: system.stores.rabbitmq,
    service: 'admin',
    declarations: [OfferViewed, OfferClicked],
    logger: createLogger({ service: 'trials', level: 'silent' }),
    metrics: createMetrics('trials'),
  });
  const tally = createTally();
  const callUntilAnswered = createRetryingCaller({ tally, allowance: o.allowance });
  const journey = { gateway: system.state().gateway, callUntilAnswered, broker, pauseMs: o.pauseMs };
  const buyers = await Promise.all(
    Array.from({ length: o.buyers }, () =>
      keepTrying(() => registerBuyer(system), {
        signal: AbortSignal.timeout(registeredWithinMs),
        onFailure: () => {},
      }),
    ),
  );
  const over = new AbortController();
  const startedAt = performance.now();
  let journeys = 0;
  const buying = buyers.map(async (buyer, place) => {
    for (let turn = place; !over.signal.aborted && tally.failures().length < maxFailures; turn += 1) {
      try {
        await runJourney(journey, buyer, turn);
        journeys += 1;
      } catch (error) {
        tally.fail(`a journey ended: ${reasonOf(error)}`);
      }
    }
  });
  await pause(o.warmUpMs);
  await o.disturb(tally).catch((error: unknown) => tally.fail(`it ended: ${reasonOf(error)}`));
  // Every buyer finishes its journey.
  over.abort();
  await Promise.all(buying);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const problems = await auditAtRest(system, { buyers, withinMs: o.quietWithinMs });
  say(`\n  ${tally.requests()} requests of ${journeys} journeys in ${seconds} s`);
  for (const line of tally.lines()) say(line);
  for (const failure of tally.failures()) say(`  FAILED: ${failure}`);
  for (const problem of problems) say(`  NOT AS IT MUST BE: ${problem}`);
  return { tally, failed: [...tally.failures(), ...problems], problems };
}
