/** Gathering: what arrives one by one is worked on together, a bounded number at once, after a short wait at most. */

export type Batches<T> = {
  readonly add: (item: T) => void;
  /** Lets go of what no batch has begun with. */
  readonly forget: () => void;
  /** Begins no more batches and waits for the one at work. */
  readonly stop: () => Promise<void>;
};

/** One batch at a time: the next gathers meanwhile, so the busier it is, the fuller they are. `work` never rejects. */
export function gatherBatches<T>(o: {
  atMost: number;
  /** How long the first of a batch waits for company. */
  lingerMs: number;
  work: (items: readonly T[]) => Promise<void>;
}): Batches<T> {
  const gathered: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  let due = false;
  let atWork: Promise<void> | undefined;
  let stopped = false;

  function startWaiting(): void {
    timer = setTimeout(() => {
      due = true;
      startDue();
    }, o.lingerMs);
  }

  function endWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    due = false;
  }

  function startDue(): void {
    if (stopped || atWork !== undefined) return;
    if (gathered.length < o.atMost && !due) return;
    const batch = gathered.splice(0, o.atMost);
    endWaiting();
    if (gathered.length > 0) startWaiting();
    atWork = o.work(batch).finally(() => {
      atWork = undefined;
      startDue();
    });
  }

  function forget(): void {
    gathered.length = 0;
    endWaiting();
  }

  return {
    add: (item) => {
      if (stopped) return;
      gathered.push(item);
      if (gathered.length === 1) startWaiting();
      startDue();
    },
    forget,
    stop: async () => {
      stopped = true;
      forget();
      await atWork;
    },
  };
}
