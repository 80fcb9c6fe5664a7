/** The budget of revealing estimates in the service: shared between replicas, traced, and logged when it is used up. */
import { createHmac } from 'node:crypto';
import { firstSecret } from '@offer-ads/platform/config/secrets';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { estimateTrace } from './estimate-trace.ts';
import { holders, knowledgeBudget, type Question, type SpentStore } from './knowledge-budget.ts';

const TRACE_EVERY_MS = 10_000;

export type Knowledge = AsyncDisposable & {
  /** The count that an estimate or a creation gets and is priced by. */
  readonly discloseCount: (question: Question) => number;
};

export function openKnowledge(o: {
  readonly perDay: number | undefined;
  readonly per30Days: number | undefined;
  readonly minCohort: number;
  /** The same on all replicas. */
  readonly secret: string;
  readonly store: SpentStore;
  /** A replica learns within this time what the others have spent. */
  readonly shareEveryMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Knowledge {
  const usedUp = o.metrics.counter({
    name: 'estimate_budgets_used_up_total',
    help: 'Budgets of revealing estimates that were used up, by kind of holder; the log names the holders',
    labelNames: ['of'],
    from0: { of: [...holders] },
  });
  const budget = knowledgeBudget({
    perDay: o.perDay,
    per30Days: o.per30Days,
    minCohort: o.minCohort,
    secretOffset: secretOffsets(o.secret),
    onUsedUp: (of, { organisationId, personId, keyId }) => {
      usedUp.inc({ of });
      o.logger.warn({ of, organisationId, personId, keyId }, 'budget of revealing estimates used up');
    },
  });
  const trace = estimateTrace(o.logger);
  const loops = new AsyncDisposableStack();
  const { logger, metrics } = o;
  loops.defer(trace.write);
  loops.use(
    startLoop({
      name: 'trace-estimates',
      everyMs: TRACE_EVERY_MS,
      work: async () => trace.write(),
      logger,
      metrics,
    }),
  );
  if (o.perDay !== undefined) {
    const share = () => budget.share(o.store);
    // After the loop has stopped, so that the other replicas learn what was spent here last.
    loops.defer(() =>
      share().catch((error: unknown) => {
        logger.warn({ error }, 'budget spending of the last seconds could not be stored and is lost');
      }),
    );
    loops.use(startLoop({ name: 'share-knowledge', everyMs: o.shareEveryMs, work: share, logger, metrics }));
  }
  return {
    discloseCount: (question) => {
      const answer = budget.answer(question);
      trace.note(question, answer);
      return answer.told;
    },
    [Symbol.asyncDispose]: () => loops.disposeAsync(),
  };
}

/** @param secret may contain several secrets while it is replaced; the offsets then change */
export function secretOffsets(secret: string): (question: string, step: number) => number {
  const key = firstSecret(secret);
  return (question, step) => {
    const mac = createHmac('sha256', key).update('offset of a count\n').update(question).digest();
    return mac.readUIntBE(0, 6) % step;
  };
}
