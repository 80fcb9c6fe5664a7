/** A limit on the processor time that the pictures of one organisation take in an hour (decision 196, processor time of pictures). */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Clock } from '@offer-ads/platform/process/clock';
import { tooManyRequests } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';

export type PictureBudget = ReturnType<typeof createPictureBudget>;

export type ProcessorTimeStore = Awaited<ReturnType<typeof openProcessorTimeStore>>;

type HourDocument = { readonly _id: string; readonly ms: number; readonly until: Date };

const hourMs = 3_600_000;

export async function openProcessorTimeStore(mongo: Mongo) {
  const hours = mongo.connection.collection<HourDocument>('processor_time');
  // MongoDB deletes hours that are over within a minute.
  await orUnavailable(hours.createIndex({ until: 1 }, { expireAfterSeconds: 0 }));
  return {
    /** @returns the milliseconds of that hour so far, these included, of all replicas */
    add: async (organisationId: number, hour: Date, ms: number) => {
      const until = new Date(hour.getTime() + 2 * hourMs);
      const change = { $inc: { ms }, $setOnInsert: { until } };
      const options = { upsert: true, returnDocument: 'after', ...withinBudget() } as const;
      const id = `${organisationId} ${hour.toISOString()}`;
      const counted = await orUnavailable(hours.findOneAndUpdate({ _id: id }, change, options));
      return counted?.ms ?? ms;
    },
  };
}

/** `spentMs` of all replicas, as of the last write, and what was not written yet. */
type Spent = { spentMs: number; unwrittenMs: number; isWriting: boolean; isLogged: boolean };

/** An ordinary picture takes 20 ms, so there is one write for 50 of them. A replica learns the sum after this much of its own. */
const writeFromMs = 1_000;
/** A megabyte. */
const maxOrganisations = 10_000;

export function createPictureBudget(o: {
  readonly maxMsPerHour: number;
  readonly store: ProcessorTimeStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}) {
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
    const unused: Spent = { spentMs: 0, unwrittenMs: 0, isWriting: false, isLogged: false };
    const spent = organisations.get(organisationId) ?? unused;
    organisations.set(organisationId, spent);
    return spent;
  }

  async function write(organisationId: number, spent: Spent): Promise<void> {
    const ms = spent.unwrittenMs;
    spent.isWriting = true;
    try {
      spent.spentMs = await o.store.add(organisationId, hour, ms);
      spent.unwrittenMs -= ms;
    } catch (error) {
      // Written with the next picture. If only the answer was lost, it counts twice.
      o.logger.warn({ error }, 'the processor time of pictures was not stored');
    } finally {
      spent.isWriting = false;
    }
  }

  return {
    /** @throws {Fault} 429 until the hour is over, if the organisation has used up its processor time */
    check: (organisationId: number) => {
      const spent = spentBy(organisationId);
      if (spent.spentMs + spent.unwrittenMs < o.maxMsPerHour) return;
      refusals.inc();
      if (!spent.isLogged) o.logger.warn({ organisationId }, 'processor time for pictures used up');
      spent.isLogged = true;
      throw tooManyRequests('the pictures of the organisation have used up its processor time', undefined, {
        publicMessage: 'The images of this organisation have taken too much time to check in this hour',
        retryAfterSeconds: Math.ceil((hour.getTime() + hourMs - o.clock.now().getTime()) / 1_000),
      });
    },
    /** Returns at once; the store gets the sum of a second or more. */
    count: (organisationId: number, ms: number) => {
      const spent = spentBy(organisationId);
      spent.unwrittenMs += ms;
      if (spent.unwrittenMs >= writeFromMs && !spent.isWriting) void write(organisationId, spent);
    },
  };
}
