/**
 * A bounded queue before the decoders: limits for running and for waiting pictures, fair between organisations. Large pictures take
 * seconds, so they leave one place for the others.
 */
import { Fault, isCallerGone, serviceUnavailable, tooManyRequests } from '@offer-ads/platform/process/faults';

export type Admission = {
  /**
   * Runs the work when a place is free. Among the waiting pictures, the organisation with the least running work is next.
   *
   * It rejects:
   * - at once, if the signal has aborted already: 503, or 422 for a large picture.
   * - at once, if as many pictures wait as may: 503, or 429 for a large picture.
   * - at once, if as many pictures of the organisation wait as places are left in the queue: 429. So an organisation alone gets half of the
   *   queue.
   * - if the signal aborts while the picture waits: 429 if a picture of the same organisation is running, else 503, or 422 for a large
   *   picture.
   * - if the signal aborts while the work runs: 422 while the picture is being opened, because its content takes the time, else 503,
   *   because the model or a store is slow. Such work keeps its place until it ends, because it still uses processor and memory.
   * - if the caller is gone: with the signal's own reason.
   * - if the work rejects: with its error.
   * A large picture never gets a 503 for want of a place, because others would have got one.
   */
  readonly run: <T>(
    candidate: Candidate,
    signal: AbortSignal,
    work: (stage: Stage) => Promise<T>,
  ) => Promise<T>;
  readonly waiting: () => number;
};

export type Candidate = {
  /** An id, or `staff` for the platform team. */
  readonly organisation: number | 'staff';
  /** More than 12.5 megapixels over all frames, so that it may take seconds to open (decision 173, places for large pictures). */
  readonly isLarge: boolean;
};

/** What running work is doing; the work itself updates it. */
export type Stage = { isOpening: boolean };

type Waiting = Candidate & { readonly begin: () => void };

/** @param o.maxWaiting large pictures and others wait in separate queues; each queue has this limit */
export function createAdmission(o: { readonly atOnce: number; readonly maxWaiting: number }): Admission {
  const maxLarge = Math.max(1, o.atOnce - 1);
  const waiting = new Set<Waiting>();
  const underWay: Candidate[] = [];
  const countOf = (list: Iterable<Candidate>, organisation: Candidate['organisation']) =>
    [...list].filter((one) => one.organisation === organisation).length;

  function hasPlace({ isLarge }: Candidate): boolean {
    if (underWay.length >= o.atOnce) return false;
    return !isLarge || underWay.filter((one) => one.isLarge).length < maxLarge;
  }

  function refusalOf({ organisation, isLarge }: Candidate) {
    const alike = [...waiting].filter((one) => one.isLarge === isLarge);
    const own = countOf(alike, organisation);
    if (alike.length >= o.maxWaiting) {
      const why = `${alike.length} pictures wait already`;
      return isLarge ? tooManyRequests(why) : serviceUnavailable(why);
    }
    return own > 0 && own >= o.maxWaiting - alike.length
      ? tooManyRequests(`${own} pictures of the organisation wait already`)
      : undefined;
  }

  /** Among the pictures that have a place: the oldest of the organisation with the least running work. */
  function next(): Waiting | undefined {
    const [first] = [...waiting]
      .filter(hasPlace)
      .toSorted((one, other) => countOf(underWay, one.organisation) - countOf(underWay, other.organisation));
    return first;
  }

  function run<T>(candidate: Candidate, signal: AbortSignal, work: (stage: Stage) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal.aborted)
        return reject(whyTooLate(signal, { isLarge: candidate.isLarge, isBehindOwn: false }));
      const refusal = hasPlace(candidate) ? undefined : refusalOf(candidate);
      if (refusal !== undefined) return reject(refusal);
      const giveUp = () => {
        waiting.delete(entry);
        const isBehindOwn = countOf(underWay, candidate.organisation) > 0;
        reject(whyTooLate(signal, { stage, isLarge: candidate.isLarge, isBehindOwn }));
      };
      let stage: Stage | undefined;
      const begin = () => {
        waiting.delete(entry);
        stage = { isOpening: false };
        underWay.push(candidate);
        void work(stage)
          .then(resolve, reject)
          .finally(() => {
            signal.removeEventListener('abort', giveUp);
            underWay.splice(underWay.indexOf(candidate), 1);
            next()?.begin();
          });
      };
      const entry = { ...candidate, begin };
      signal.addEventListener('abort', giveUp, { once: true });
      if (hasPlace(candidate)) begin();
      else waiting.add(entry);
    });
  }

  return { run, waiting: () => waiting.size };
}

/**
 * Only the 503 counts for circuit breakers (decision 133, what a breaker counts): the others are caused by the organisation's own pictures.
 */
function whyTooLate(
  signal: AbortSignal,
  {
    stage,
    isLarge,
    isBehindOwn,
  }: { readonly stage?: Stage | undefined; readonly isLarge: boolean; readonly isBehindOwn: boolean },
): unknown {
  const why: unknown = signal.reason;
  if (isCallerGone(why)) return why;
  if (stage !== undefined)
    return stage.isOpening
      ? tookTooLong(why)
      : serviceUnavailable('no verdict within the time that the caller waits', why);
  if (isBehindOwn) return tooManyRequests('no place beside other pictures of the organisation in time', why);
  return isLarge
    ? tookTooLong(why)
    : serviceUnavailable('no place within the time that the caller waits', why);
}

/**
 * The picture's content, or its size while it waited for a place, may be the cause, so it is neither a 500 nor a 503 (decision 133, what a
 * breaker counts).
 */
export function tookTooLong(cause: unknown): Fault {
  const publicMessage = 'No verdict within the time that the caller waits';
  return new Fault('a picture took too long', { status: 422, publicMessage, cause });
}
