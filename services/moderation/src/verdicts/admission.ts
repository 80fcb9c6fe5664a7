/**
 * Bounded lines before the decoders, one for each organisation, served in turn. Large pictures take seconds, so they leave one place for
 * the others.
 */
import { Fault, isCallerGone, serviceUnavailable, tooManyRequests } from '@offer-ads/platform/process/faults';

export type Admission = {
  /**
   * Runs the work when a place is free. The organisation with the least running work is next, and among several of them the one that has
   * waited longest for its turn. After its turn an organisation is the last one in the rotation.
   *
   * It rejects:
   * - at once, if the signal has aborted already: 503, or 422 for a large picture.
   * - at once, if as many pictures wait as may and no other line is longer: 503, or 429 for a large picture.
   * - while it waits, if all may wait no longer and it is the newest of the longest line, when a shorter line needs the place: 429.
   * - at once, if as many pictures of the organisation wait as places are left in the queue: 429. So an organisation alone gets half of the
   *   queue.
   * - if the signal aborts while the picture waits: 429 if a picture of the same organisation is running, else 503, or 422 for a large
   *   picture.
   * - if the signal aborts while the work runs: 422 while the picture is being opened, because its content takes the time, else 503,
   *   because the model or a store is slow. Such work keeps its place until it has stopped, because it still uses processor and memory.
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
  /** More than 12.5 megapixels over all frames, so that it may take seconds to open. */
  readonly isLarge: boolean;
};

/** What running work is doing; the work itself updates it. */
export type Stage = { isOpening: boolean };

type Waiting = Candidate & { readonly begin: () => void; readonly refuse: (reason: Fault) => void };

/** @param o.maxWaiting large pictures and others are limited separately, each to this many over all lines */
export function createAdmission(o: { readonly atOnce: number; readonly maxWaiting: number }): Admission {
  const maxLarge = Math.max(1, o.atOnce - 1);
  /** In the order of their turns. No line is empty. */
  const lines = new Map<Candidate['organisation'], Set<Waiting>>();
  const underWay: Candidate[] = [];
  const waiting = () => [...lines.values()].flatMap((line) => Array.from(line));
  const countOf = (list: readonly Candidate[], organisation: Candidate['organisation']) =>
    list.filter((one) => one.organisation === organisation).length;

  function hasPlace({ isLarge }: Candidate): boolean {
    if (underWay.length >= o.atOnce) return false;
    return !isLarge || underWay.filter((one) => one.isLarge).length < maxLarge;
  }

  /** The reason why the picture may not wait. It may take the place of a picture in a longer line. */
  function refusalOf({ organisation, isLarge }: Candidate): Fault | undefined {
    const alike = waiting().filter((one) => one.isLarge === isLarge);
    const own = countOf(alike, organisation);
    if (alike.length >= o.maxWaiting) {
      const longest = longestLine(alike);
      if (longest.length > own + 1) {
        longest
          .at(-1)
          ?.refuse(tooManyRequests('others need the place of the last picture in the longest line'));
        return undefined;
      }
      const why = `${alike.length} pictures wait already`;
      return isLarge ? tooManyRequests(why) : serviceUnavailable(why);
    }
    return own > 0 && own >= o.maxWaiting - alike.length
      ? tooManyRequests(`${own} pictures of the organisation wait already`)
      : undefined;
  }

  function join(entry: Waiting): void {
    const line = lines.get(entry.organisation) ?? new Set();
    lines.set(entry.organisation, line.add(entry));
  }

  function leave(entry: Waiting): void {
    const line = lines.get(entry.organisation);
    if (line?.delete(entry) && line.size === 0) lines.delete(entry.organisation);
  }

  /** Begins the picture whose turn it is, if there is a place for one. */
  function beginNext(): void {
    let next: Waiting | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [organisation, line] of lines) {
      const first = [...line].find(hasPlace);
      const running = countOf(underWay, organisation);
      if (first === undefined || running >= fewest) continue;
      next = first;
      fewest = running;
    }
    if (next === undefined) return;
    leave(next);
    const line = lines.get(next.organisation);
    if (line !== undefined && lines.delete(next.organisation)) lines.set(next.organisation, line);
    next.begin();
  }

  function run<T>(candidate: Candidate, signal: AbortSignal, work: (stage: Stage) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal.aborted)
        return reject(whyTooLate(signal, { isLarge: candidate.isLarge, isBehindOwn: false }));
      const refusal = hasPlace(candidate) ? undefined : refusalOf(candidate);
      if (refusal !== undefined) return reject(refusal);
      const giveUp = () => {
        leave(entry);
        const isBehindOwn = countOf(underWay, candidate.organisation) > 0;
        reject(whyTooLate(signal, { stage, isLarge: candidate.isLarge, isBehindOwn }));
      };
      let stage: Stage | undefined;
      const begin = () => {
        stage = { isOpening: false };
        underWay.push(candidate);
        void work(stage)
          .then(resolve, reject)
          .finally(() => {
            signal.removeEventListener('abort', giveUp);
            underWay.splice(underWay.indexOf(candidate), 1);
            beginNext();
          });
      };
      const refuse = (reason: Fault) => {
        signal.removeEventListener('abort', giveUp);
        leave(entry);
        reject(reason);
      };
      const entry: Waiting = { ...candidate, begin, refuse };
      signal.addEventListener('abort', giveUp, { once: true });
      if (hasPlace(candidate)) begin();
      else join(entry);
    });
  }

  return { run, waiting: () => waiting().length };
}

/** The oldest first. */
function longestLine(pictures: readonly Waiting[]): readonly Waiting[] {
  const lines = Map.groupBy(pictures, ({ organisation }) => organisation);
  return [...lines.values()].reduce((longest, line) => (line.length > longest.length ? line : longest), []);
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
