/** A limit on the processor time that the pictures of one organisation take in an hour (decision 196, processor time of pictures). */
import type { Clock } from '@offer-ads/platform/process/clock';
import { tooManyRequests } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { hourMs, type ProcessorTimeStore } from './processor-time-store.ts';

export type PictureBudget = {
  /** @throws {Fault} 429 until the hour is over, if the organisation has used up its processor time */
  readonly check: (organisationId: number) => void;
  /** Returns at once; the store is told later, in batches of a second. */
  readonly count: (organisationId: number, ms: number) => void;
};

/** `spentMs` of all replicas, as the store said last, and what it has not been told yet. */
type Spent = { spentMs: number; untoldMs: number; isTelling: boolean; isLogged: boolean };

/** An ordinary picture takes 20 ms, so the store is told once in 50 of them. A replica learns the sum after this much of its own. */
const tellFromMs = 1_000;
/** A megabyte. */
const maxOrganisations = 10_000;

export function createPictureBudget(o: {
  readonly maxMsPerHour: number;
  readonly store: ProcessorTimeStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): PictureBudget {
  const refusals = o.metrics.counter({
    name: 'moderation_over_budget_total',
    help: 'Pictures refused because those of their organisation had used up its processor time of the hour.',
  });
  /** Of the present hour only. */
  const organisations = new Map<number, Spent>();
  let hour = new Date(0);

  function spentBy(organisationId: number): Spent {
    const now = o.clock.now().getTime();
    const present = new Date(now - (now % hourMs));
    // If there are too many organisations, the store still knows what they have spent, except for less than a second each.
    if (present.getTime() !== hour.getTime() || organisations.size >= maxOrganisations) organisations.clear();
    hour = present;
    const spent = organisations.get(organisationId) ?? {
      spentMs: 0,
      untoldMs: 0,
      isTelling: false,
      isLogged: false,
    };
    organisations.set(organisationId, spent);
    return spent;
  }

  async function tell(organisationId: number, spent: Spent): Promise<void> {
    const ms = spent.untoldMs;
    spent.isTelling = true;
    try {
      const spentMs = await o.store.add(organisationId, hour, ms);
      spent.spentMs = spentMs;
      spent.untoldMs -= ms;
    } catch (error) {
      // Told with the next picture. If only the answer was lost, it counts twice.
      o.logger.warn({ error }, 'the processor time of pictures was not stored');
    } finally {
      spent.isTelling = false;
    }
  }

  return {
    check: (organisationId) => {
      const spent = spentBy(organisationId);
      if (spent.spentMs + spent.untoldMs < o.maxMsPerHour) return;
      refusals.inc();
      if (!spent.isLogged) o.logger.warn({ organisationId }, 'processor time for pictures used up');
      spent.isLogged = true;
      throw tooManyRequests('the pictures of the organisation have used up its processor time', undefined, {
        publicMessage: 'The images of this organisation have taken too much time to check in this hour',
        retryAfterSeconds: Math.ceil((hour.getTime() + hourMs - o.clock.now().getTime()) / 1_000),
      });
    },
    count: (organisationId, ms) => {
      const spent = spentBy(organisationId);
      spent.untoldMs += ms;
      if (spent.untoldMs >= tellFromMs && !spent.isTelling) void tell(organisationId, spent);
    },
  };
}
