/** A bounded queue before the decoders: so many pictures at once, so many waiting, fair between organisations. */
import { Fault, isCallerGone, serviceUnavailable, tooManyRequests } from '@offer-ads/platform/process/faults';

export type Admission = {
  /**
   * Runs the work when a place is free: of those who wait, the organisation with the least work under way is next. Rejects at once
   * with a 429 when the organisation would have more waiting than it leaves places for others, with a 503 when too many wait, and when
   * the signal ends while it waits, or with a 429 then when a picture of the same organisation is under way. When the signal ends after the
   * work has begun, that is a 422 while the picture is being opened, because its own input takes the time, and a 503 while the model or a
   * store is waited for. Such work keeps its place until it is done, because it goes on using processor and memory.
   * @param organisation an id, or a name for the platform team
   */
  readonly run: <T>(
    organisation: number | 'staff',
    signal: AbortSignal,
    work: (stage: Stage) => Promise<T>,
  ) => Promise<T>;
  readonly waiting: () => number;
};

/** What work under way is doing; the work itself keeps it up to date. */
export type Stage = { isOpening: boolean };

type Waiting = { readonly organisation: number | 'staff'; readonly begin: () => void };

export function createAdmission(o: { readonly atOnce: number; readonly mostWaiting: number }): Admission {
  const waiting = new Set<Waiting>();
  const underWay: Waiting['organisation'][] = [];
  const countIn = (list: Iterable<Waiting['organisation']>, organisation: Waiting['organisation']) =>
    [...list].filter((one) => one === organisation).length;

  function refusalOf(organisation: Waiting['organisation']) {
    if (waiting.size >= o.mostWaiting) return serviceUnavailable(`${waiting.size} pictures wait already`);
    const ownWaiting = countIn(
      [...waiting].map((one) => one.organisation),
      organisation,
    );
    return ownWaiting > 0 && ownWaiting >= o.mostWaiting - waiting.size
      ? tooManyRequests(`${ownWaiting} pictures of the organisation wait already`)
      : undefined;
  }

  /** The oldest of the organisation with the least work under way. */
  function next(): Waiting | undefined {
    const [first] = [...waiting].toSorted(
      (one, other) => countIn(underWay, one.organisation) - countIn(underWay, other.organisation),
    );
    return first;
  }

  function run<T>(
    organisation: Waiting['organisation'],
    signal: AbortSignal,
    work: (stage: Stage) => Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(whyTooLate(signal, { isBehindOwn: false }));
      const refusal = underWay.length < o.atOnce ? undefined : refusalOf(organisation);
      if (refusal !== undefined) return reject(refusal);
      const giveUp = () => {
        waiting.delete(place);
        reject(whyTooLate(signal, { stage, isBehindOwn: underWay.includes(organisation) }));
      };
      let stage: Stage | undefined;
      const begin = () => {
        waiting.delete(place);
        stage = { isOpening: false };
        underWay.push(organisation);
        void work(stage)
          .then(resolve, reject)
          .finally(() => {
            signal.removeEventListener('abort', giveUp);
            underWay.splice(underWay.indexOf(organisation), 1);
            next()?.begin();
          });
      };
      const place = { organisation, begin };
      signal.addEventListener('abort', giveUp, { once: true });
      if (underWay.length < o.atOnce) begin();
      else waiting.add(place);
    });
  }

  return { run, waiting: () => waiting.size };
}

/** Only the 503 opens breakers (decision 133): the others are caused by the organisation's own pictures. */
function whyTooLate(
  signal: AbortSignal,
  { stage, isBehindOwn }: { readonly stage?: Stage | undefined; readonly isBehindOwn: boolean },
): unknown {
  const why: unknown = signal.reason;
  if (isCallerGone(why)) return why;
  if (stage !== undefined)
    return stage.isOpening
      ? tookTooLong(why)
      : serviceUnavailable('no verdict within the time that the caller waits', why);
  return isBehindOwn
    ? tooManyRequests('no place beside other pictures of the organisation in time', why)
    : serviceUnavailable('no place within the time that the caller waits', why);
}

/** An input may cause it, so that it is neither a 500 nor a 503 (decision 133). */
export function tookTooLong(cause: unknown): Fault {
  const publicMessage = 'No verdict within the time that the caller waits';
  return new Fault('a picture took too long', { status: 422, publicMessage, cause });
}
