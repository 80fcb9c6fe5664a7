/** Collects items into batches: of bounded size, after a short wait at most. */

export type Batches<T> = {
  readonly add: (item: T) => void;
  /** Drops the items that are not in a started batch. */
  readonly forget: () => void;
  /** Starts no more batches and waits for the current one. */
  readonly stop: () => Promise<void>;
};

/** Runs one batch at a time and collects the next meanwhile, so batches grow with the load. `work` never rejects. */
export function gatherBatches<T>(o: {
  /** The size of a batch. A larger item has a batch of its own. */
  atMost: number;
  /** 1 for each item, unless given. */
  sizeOf?: (item: T) => number;
  /** How long the first item of a batch waits for more. */
  lingerMs: number;
  work: (items: readonly T[]) => Promise<void>;
}): Batches<T> {
  const { sizeOf = () => 1 } = o;
  const gathered: T[] = [];
  let gatheredSize = 0;
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
    if (gatheredSize < o.atMost && !due) return;
    const batch = takeBatch();
    endWaiting();
    if (gathered.length > 0) startWaiting();
    atWork = o.work(batch).finally(() => {
      atWork = undefined;
      startDue();
    });
  }

  function takeBatch(): T[] {
    let [count, size] = [0, 0];
    for (const item of gathered) {
      if (count > 0 && size + sizeOf(item) > o.atMost) break;
      count += 1;
      size += sizeOf(item);
    }
    gatheredSize -= size;
    return gathered.splice(0, count);
  }

  function forget(): void {
    gathered.length = 0;
    gatheredSize = 0;
    endWaiting();
  }

  return {
    add: (item) => {
      if (stopped) return;
      gathered.push(item);
      gatheredSize += sizeOf(item);
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
