/** The decisions of people about pictures, which include all blocked pictures. */

import type { RulingReply } from '@offer-ads/contracts/internal/moderation-api';
import { useLocation } from 'preact-iso';
import { queryOf } from '../../../ui/query-of.ts';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { ConsolePage } from '../console-page.tsx';
import { PageLinks } from '../page-links.tsx';
import { RulingsTable } from '../pictures/rulings-table.tsx';
import { useRead } from '../session.ts';
import { PictureTabs } from './pictures.tsx';

const PAGE = 50;

export function Rulings() {
  const { cursor = '' } = useLocation().query;
  const list = useRead<{ readonly rulings: readonly RulingReply[] }>(
    `/moderation/rulings${queryOf({ before: cursor, limit: `${PAGE}` })}`,
  );
  return (
    <ConsolePage
      title="Pictures"
      lead="Decisions of people, latest first. The latest decision about a picture is valid."
    >
      <PictureTabs current="decisions" />
      <Loaded query={list} what="decisions" lines={8}>
        {({ rulings }) => (
          <>
            {rulings.length === 0 ? (
              <Empty title="Nobody has decided about a picture" />
            ) : (
              <div class="card">
                <RulingsTable rulings={rulings} named />
              </div>
            )}
            <PageLinks next={rulings.length === PAGE ? (rulings.at(-1)?.number ?? null) : null} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  );
}
