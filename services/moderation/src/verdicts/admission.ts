/**
 * Which picture is opened when. Bounded queues before the slots, one for each organisation, served in turn: large pictures take seconds, so
 * they leave one slot for the others. And a limit on the processor time that the pictures of an organisation take in an hour (decision 196,
 * processor time of pictures).
 */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Clock } from '@offer-ads/platform/process/clock';
import { Fault, isCallerGone, serviceUnavailable, tooManyRequests } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { isLarge } from '../domain/picture-limits.ts';
import type { Decoder } from '../pictures/decoder.ts';

export type Admission = {
  /**
   * Runs the work in a free slot. Organisations take turns: after its turn an organisation is the last one in the rotation.
   *
   * It rejects:
   * - at once, if the organisation's pictures have used up their processor time of the hour: 429.
   * - if all pictures wait that may, and it is the newest one of the longest queue: 429. When no organisation has more than one waiting, the
   *   one that comes is refused: 503, or 429 if it is large or its organisation waits already.
   * - if the signal aborts while the picture waits: 429 if a picture of the same organisation is running, else 503, or 422 for a large
   *   picture.
   * - if the signal aborts while the work runs: 422 while the picture is being opened, because its content takes the time, else 503,
   *   because the model or a store is slow. Such work keeps its slot until it has stopped, because it still uses processor and memory.
   * - if the caller is gone: with the signal's own reason.
   * - if the work rejects: with its error.
   * A large picture never gets a 503 for want of a slot, because others would have got one. Only the 503 counts for circuit breakers
   * (decision 133, what a breaker counts): the others are caused by the organisation's own pictures.
   */
  readonly run: <T>(
    candidate: Candidate,
    signal: AbortSignal,
    work: (slot: Slot) => Promise<T>,
  ) => Promise<T>;
  readonly waiting: () => number;
};

export type Candidate = {
  readonly bytes: Uint8Array;
  /** An id, or `staff` for the platform team, whose processor time is not limited. */
  readonly organisation: number | 'staff';
};

export type Slot = {
  readonly decoder: Pick<Decoder, 'run'>;
  readonly signal: AbortSignal;
  /** For processor time that was not spent in the decoder. */
  readonly countProcessorTime: (ms: number) => void;
};

type Waiting = {
  readonly organisation: Candidate['organisation'];
  /** More than 12.5 megapixels over all frames, so that it may take seconds to open. */
  readonly isLarge: boolean;
  readonly begin: (decoder: Decoder) => void;
  readonly refuse: (reason: unknown) => void;
};

/** @param o.maxWaiting large pictures and others are limited separately, each to this many over all queues */
export function createAdmission(o: {
  readonly decoders: readonly Decoder[];
  readonly maxWaiting: number;
  readonly budget: PictureBudget;
}): Admission {
  const maxLarge = Math.max(1, o.decoders.length - 1);
  /** In the order of their turns. No queue is empty. */
  const queues = new Map<Candidate['organisation'], Set<Waiting>>();
  const free = [...o.decoders];
  const running: Waiting[] = [];
  const waiting = () => [...queues.values()].flatMap((queue) => Array.from(queue));

  function mayBegin(candidate: Waiting): boolean {
    return !candidate.isLarge || running.filter((one) => one.isLarge).length < maxLarge;
  }

  /** @returns why the picture may not wait; undefined if there is room, perhaps since another was refused */
  function makeRoom({ organisation, isLarge: large }: Waiting): Fault | undefined {
    const alike = waiting().filter((one) => one.isLarge === large);
    if (alike.length < o.maxWaiting) return undefined;
    const ofEach = [...Map.groupBy(alike, (one) => one.organisation).values()];
    const longest = ofEach.reduce((long, queue) => (queue.length > long.length ? queue : long), []);
    const own = alike.filter((one) => one.organisation === organisation).length;
    if (longest.length > own + 1) {
      longest
        .at(-1)
        ?.refuse(tooManyRequests('others need the slot of the last picture in the longest queue'));
      return undefined;
    }
    const why = `${alike.length} pictures wait already, ${own} of the organisation`;
    return large || own > 0 ? tooManyRequests(why) : serviceUnavailable(why);
  }

  function leave(entry: Waiting): void {
    const queue = queues.get(entry.organisation);
    if (queue?.delete(entry) === true && queue.size === 0) queues.delete(entry.organisation);
  }

  /** Begins the pictures whose turn it is, as long as there are slots. */
  function beginNext(): void {
    for (const [organisation, queue] of queues) {
      const next = free.length > 0 ? [...queue].find(mayBegin) : undefined;
      const decoder = next && free.shift();
      if (next === undefined || decoder === undefined) continue;
      // The organisation becomes the last in the rotation, and this loop meets it there again.
      queues.delete(organisation);
      queue.delete(next);
      if (queue.size > 0) queues.set(organisation, queue);
      next.begin(decoder);
    }
  }

  function run<T>(
    { organisation, bytes }: Candidate,
    signal: AbortSignal,
    work: (slot: Slot) => Promise<T>,
  ): Promise<T> {
    const count = (ms: number) => organisation !== 'staff' && o.budget.count(organisation, ms);
    return new Promise((resolve, reject) => {
      if (organisation !== 'staff') o.budget.check(organisation);
      let given: Decoder | undefined;
      const giveUp = () => refuse(whyTooLate());
      const refuse = (reason: unknown) => {
        signal.removeEventListener('abort', giveUp);
        leave(entry);
        reject(reason);
      };
      const begin = (decoder: Decoder) => {
        given = decoder;
        running.push(entry);
        const end = () => {
          signal.removeEventListener('abort', giveUp);
          count(decoder.takeProcessorMs());
          running.splice(running.indexOf(entry), 1);
          free.push(decoder);
          beginNext();
        };
        void work({ decoder, signal, countProcessorTime: count }).finally(end).then(resolve, reject);
      };
      const entry: Waiting = { organisation, isLarge: isLarge(bytes), begin, refuse };

      function whyTooLate(): unknown {
        const why: unknown = signal.reason;
        if (isCallerGone(why)) return why;
        if (given !== undefined)
          return given.isBusy()
            ? tookTooLong(why)
            : serviceUnavailable('no verdict within the time that the caller waits', why);
        if (running.some((one) => one.organisation === organisation))
          return tooManyRequests('no slot beside other pictures of the organisation in time', why);
        return entry.isLarge
          ? tookTooLong(why)
          : serviceUnavailable('no slot within the time that the caller waits', why);
      }

      if (signal.aborted) return reject(whyTooLate());
      const refusal = free.length > 0 && mayBegin(entry) ? undefined : makeRoom(entry);
      if (refusal !== undefined) return reject(refusal);
      signal.addEventListener('abort', giveUp, { once: true });
      queues.set(organisation, (queues.get(organisation) ?? new Set()).add(entry));
      beginNext();
    });
  }

  return { run, waiting: () => waiting().length };
}

/**
 * The picture's content, or its size while it waited for a slot, may be the cause, so it is neither a 500 nor a 503 (decision 133, what a
 * breaker counts).
 */
export function tookTooLong(cause: unknown): Fault {
  const publicMessage = 'No verdict within the time that the caller waits';
  return new Fault('a picture took too long', { status: 422, publicMessage, cause });
}

type PictureBudget = ReturnType<typeof createPictureBudget>;

type ProcessorTimeStore = Awaited<ReturnType<typeof openProcessorTimeStore>>;

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
