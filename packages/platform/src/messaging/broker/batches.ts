/** Collects single items into batches: of bounded size, after a short wait at most. */

export type Batches<T> = {
  readonly add: (item: T) => void;
  /** Drops the items that are not in a started batch. */
  readonly forget: () => void;
  /** Starts no more batches and waits for the current one. */
  readonly stop: () => Promise<void>;
};

/** Runs one batch at a time and collects the next meanwhile, so batches grow with the load. `work` never rejects. */
export function gatherBatches<T>(o: {
  atMost: number;
  /** How long the first item of a batch waits for more. */
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
