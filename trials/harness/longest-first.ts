/**
 * The order in which `npm run test:system` runs its files: those that share one system between many suites first, so that no worker
 * is idle at the end. Left alone, jest begins with the largest files, and these are small.
 */
import { basename } from 'node:path';

type File = { readonly path: string };

const longest: readonly string[] = ['portal.test.ts', 'system.test.ts'];

/** A sequencer of jest, which calls these two. */
class LongestFirst {
  sort(files: readonly File[]): File[] {
    const rank = ({ path }: File) => {
      const place = longest.indexOf(basename(path));
      return place === -1 ? longest.length : place;
    };
    return files.toSorted((one, other) => rank(one) - rank(other));
  }

  cacheResults(): void {
    // The order depends on no earlier run.
  }
}

export { LongestFirst as default };
