/** The privacy budgets of the service: shared between replicas, traced, and logged when one is used up. */
import { createHmac } from 'node:crypto';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { estimateTrace } from './estimate-trace.ts';
import { holders, type Question, replicaBudgets, type SpendingStore } from './replica-budgets.ts';

const TRACE_EVERY_MS = 10_000;

export type PrivacyBudgets = AsyncDisposable & {
  /** The count that an estimate or a creation gets and is priced by. */
  readonly discloseCount: (question: Question) => number;
};

export function openPrivacyBudgets(o: {
  readonly perDay: number | undefined;
  readonly per30Days: number | undefined;
  readonly minCohort: number;
  /** The same on all replicas. */
  readonly secret: string;
  readonly store: SpendingStore;
  /** A replica learns within this time what the others have spent. */
  readonly shareEveryMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): PrivacyBudgets {
  const usedUp = o.metrics.counter({
    name: 'privacy_budgets_used_up_total',
    help: 'Privacy budgets that were used up, by kind of holder; the log names the holders',
    labelNames: ['of'],
    from0: { of: [...holders] },
  });
  const budgets = replicaBudgets({
    perDay: o.perDay,
    per30Days: o.per30Days,
    minCohort: o.minCohort,
    secretOffset: secretOffsets(o.secret),
    onUsedUp: (of, { organisationId, personId, keyId }) => {
      usedUp.inc({ of });
      o.logger.warn({ of, organisationId, personId, keyId }, 'privacy budget used up');
    },
  });
  const trace = estimateTrace(o.logger);
  const loops = new AsyncDisposableStack();
  const { logger, metrics } = o;
  loops.defer(trace.write);
  const write = async () => trace.write();
  loops.use(startLoop({ name: 'trace-estimates', everyMs: TRACE_EVERY_MS, work: write, logger, metrics }));
  if (o.perDay !== undefined) {
    const share = () => budgets.share(o.store);
    // After the loop has stopped, so that the other replicas learn what was spent here last.
    loops.defer(() =>
      share().catch((error: unknown) => {
        logger.warn({ error }, 'budget spending of the last seconds could not be stored and is lost');
      }),
    );
    loops.use(
      startLoop({ name: 'share-privacy-budgets', everyMs: o.shareEveryMs, work: share, logger, metrics }),
    );
  }
  return {
    discloseCount: (question) => {
      const answer = budgets.answer(question);
      trace.note(question, answer);
      return answer.shown;
    },
    [Symbol.asyncDispose]: () => loops.disposeAsync(),
  };
}

/** @param secret of its own: it is not replaced together with others, because two replicas would then tell different counts */
export function secretOffsets(secret: string): (question: string, step: number) => number {
  return (question, step) => {
    const mac = createHmac('sha256', secret).update('offset of a count\n').update(question).digest();
    return mac.readUIntBE(0, 6) % step;
  };
}
