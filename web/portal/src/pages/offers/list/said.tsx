/** What became of the last command: for one offer, or for several. */
import { Notice } from '../../../../../ui/notice.tsx';
import { Outcome } from '../../../../../ui/outcome.tsx';
import type { Done } from '../offer-actions.tsx';
import { type BulkDone, BulkResult } from './bulk-bar.tsx';

export type SaidOfOffers = Done | BulkDone;

export function Said({ said }: { readonly said: SaidOfOffers | null }) {
  if (said === null) return null;
  const isGood = 'text' in said ? said.good : said.failed.length === 0 && said.refusal === null;
  const words = 'text' in said ? said.text : <BulkResult of={said} />;
  return isGood ? <Outcome key={said.id}>{words}</Outcome> : <Notice kind="problem">{words}</Notice>;
}
