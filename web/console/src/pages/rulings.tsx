/** The decisions of people about pictures, which include all blocked pictures. */
import type { RulingReply } from '@offer-ads/contracts/internal/moderation-api';
import { useLocation } from 'preact-iso';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { ConsolePage } from '../console-page.tsx';
import { RulingsTable } from '../pictures/rulings-table.tsx';
import { useRead } from '../session.ts';
import { PictureTabs } from './pictures.tsx';

const PAGE = 50;

export function Rulings() {
  const { before } = useLocation().query;
  const query = `limit=${PAGE}${before === undefined ? '' : `&before=${encodeURIComponent(before)}`}`;
  const list = useRead<{ readonly rulings: readonly RulingReply[] }>(`/moderation/rulings?${query}`);
  const last = list.data?.rulings.length === PAGE ? list.data.rulings.at(-1) : undefined;
  return (
    <ConsolePage
      title="Pictures"
      lead="Decisions of people, latest first. The latest decision about a picture is valid."
    >
      <PictureTabs current="decisions" />
      <Loaded query={list} what="decisions" lines={8}>
        {({ rulings }) =>
          rulings.length === 0 ? (
            <Empty title="Nobody has decided about a picture" />
          ) : (
            <div class="card">
              <RulingsTable rulings={rulings} named />
            </div>
          )
        }
      </Loaded>
      {last !== undefined && (
        <div>
          <a class="button quiet" href={`/pictures/decisions?before=${last.number}`}>
            Older ones
          </a>
        </div>
      )}
    </ConsolePage>
  );
}
