/** Group commit: writes that come while one is under way are written together, so that they share a wait for the disk. */

/**
 * Nothing waits for others to come: a write starts at once when none is under way.
 * @param write writes all items; when it fails, each item is written alone, so that one item does not make the others fail
 */
export function groupWrites<T>(write: (items: readonly T[]) => Promise<unknown>): (item: T) => Promise<void> {
  type Waiting = {
    readonly item: T;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  };
  let gathered: Waiting[] = [];
  let isWriting = false;

  const writeAlone = ({ item, resolve, reject }: Waiting) => write([item]).then(resolve, reject);

  async function writeGathered(): Promise<void> {
    isWriting = true;
    while (gathered.length > 0) {
      const group = gathered;
      gathered = [];
      const [first] = group;
      if (first !== undefined && group.length === 1) await writeAlone(first);
      else
        await write(group.map(({ item }) => item)).then(
          () => group.forEach(({ resolve }) => resolve()),
          () => Promise.all(group.map(writeAlone)),
        );
    }
    isWriting = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject });
      if (!isWriting) void writeGathered();
    });
}
