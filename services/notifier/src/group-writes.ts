/** Group commit: writes that come within a moment, or while one is under way, are written together, so that they share a wait for the disk. */
import { gatherBatches } from '@offer-ads/platform/messaging/broker/batches';

/**
 * @param o.lingerMs how long the first item waits for others
 * @param o.write writes all items; when it fails, each item is written alone, so that one item does not make the others fail
 */
export function groupWrites<T>(o: {
  readonly atMost: number;
  readonly lingerMs: number;
  readonly write: (items: readonly T[]) => Promise<unknown>;
}): (item: T) => Promise<void> {
  type Waiting = {
    readonly item: T;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  };

  const writeAlone = ({ item, resolve, reject }: Waiting) => o.write([item]).then(resolve, reject);

  async function work(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (first !== undefined && group.length === 1) return writeAlone(first);
    await o.write(group.map(({ item }) => item)).then(
      () => group.forEach(({ resolve }) => resolve()),
      () => Promise.all(group.map(writeAlone)),
    );
  }

  const groups = gatherBatches<Waiting>({ ...o, work });
  return (item) => new Promise((resolve, reject) => groups.add({ item, resolve, reject }));
}
