/** Passes many small things on in groups: one group is under way at a time, so a slow receiver is not flooded. */
export type InGroups<T> = AsyncDisposable & {
  /** False if no more fits; the thing is dropped then. */
  readonly add: (thing: T) => boolean;
};

export function inGroups<T>(o: {
  everyMs: number;
  /** How many may wait for their group. */
  maxWaiting: number;
  send: (group: T[]) => Promise<unknown>;
}): InGroups<T> {
  let gathered: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (gathered.length > 0) {
      const group = gathered;
      gathered = [];
      await o.send(group);
    }
  }
  const flush = () => {
    timer = undefined;
    underWay ??= sendAll().finally(() => (underWay = undefined));
    return underWay;
  };
  return {
    add: (thing) => {
      if (gathered.length >= o.maxWaiting) return false;
      gathered.push(thing);
      timer ??= setTimeout(() => void flush(), o.everyMs);
      return true;
    },
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer);
      await flush();
    },
  };
}
