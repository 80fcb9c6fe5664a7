/** Logs which callers asked for how many estimates of which size: one line per caller every ten seconds, without positions. */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { sizeClassOf } from '../domain/revealing.ts';
import type { Answer, Asker, Question } from './replica-budgets.ts';

export type EstimateTrace = {
  readonly note: (question: Question, answer: Answer) => void;
  readonly write: () => void;
};

type Noted = {
  readonly asker: Asker;
  revealing: number;
  coarse: number;
  readonly sizes: Record<string, number>;
};

/** With this many callers, everything is logged at once. */
const MAX_CALLERS = 1_000;

export function estimateTrace(logger: Logger): EstimateTrace {
  const noted = new Map<string, Noted>();

  function write(): void {
    for (const { asker, ...estimates } of noted.values()) {
      const { organisationId, personId, keyId } = asker;
      logger.info({ organisationId, personId, keyId, ...estimates }, 'estimates answered');
    }
    noted.clear();
  }

  return {
    note: ({ asker, counted }, { isRevealing, isCoarse }) => {
      const caller = `${asker.organisationId} ${asker.personId} ${asker.keyId}`;
      let one = noted.get(caller);
      if (one === undefined) {
        if (noted.size >= MAX_CALLERS) write();
        one = { asker, revealing: 0, coarse: 0, sizes: {} };
        noted.set(caller, one);
      }
      if (isRevealing) one.revealing += 1;
      if (isCoarse) one.coarse += 1;
      const size = sizeClassOf(counted);
      one.sizes[size] = (one.sizes[size] ?? 0) + 1;
    },
    write,
  };
}
