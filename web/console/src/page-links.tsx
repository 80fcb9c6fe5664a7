/** Links to the other pages of a list, newest first. The address of a page is that of the list with a `cursor`. */

import { useLocation } from 'preact-iso';
import { queryOf } from '../../ui/query-of.ts';

type PageLinksProps = {
  /** The cursor of the next page. Null: this is the last one. */
  readonly next: string | number | null;
  readonly words?: string | undefined;
};

export function PageLinks({ next, words = 'Older ones' }: PageLinksProps) {
  const { path, query } = useLocation();
  const at = (cursor: string) => `${path}${queryOf({ ...query, cursor })}`;
  return (
    <nav class="row" aria-label="Pages">
      {query['cursor'] !== undefined && (
        <a class="button quiet" href={at('')}>
          Back to the newest
        </a>
      )}
      {next !== null && (
        <a class="button quiet" href={at(String(next))}>
          {words}
        </a>
      )}
    </nav>
  );
}
