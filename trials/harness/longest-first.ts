/**
 * The order of the files of `npm run test:system`: the longest ones first, so that no worker is idle at the end. Jest itself begins with
 * the largest files, but the longest ones are small.
 */
import { basename } from 'node:path';

type File = { readonly path: string };

const longest: readonly string[] = ['portal.test.ts', 'system.test.ts', 'quick.test.ts'];

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
