/** Uploaded pictures with their verdicts. Refused LIVE pictures wait for the decision of a person; in TEST mode members see none. */

import type { PicturesReply } from '@offer-ads/contracts/internal/moderation-api';
import { useLocation } from 'preact-iso';
import { queryOf } from '../../../ui/query-of.ts';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { PageLinks } from '../page-links.tsx';
import { PictureFrame } from '../pictures/picture-frame.tsx';
import { useRead } from '../session.ts';

const views = {
  waiting: { title: 'Waiting for a person', query: { undecided: 'true', verdict: 'refused', mode: 'LIVE' } },
  refused: { title: 'Refused', query: { verdict: 'refused' } },
  allowed: { title: 'Allowed', query: { verdict: 'allowed' } },
} as const;
type View = keyof typeof views;

export function PictureTabs({ current }: { readonly current: View | 'decisions' }) {
  return (
    <nav class="tabs" aria-label="Kinds of pictures">
      {Object.entries(views).map(([name, { title }]) => (
        <a key={name} href={`/pictures?view=${name}`} aria-current={name === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
      <a href="/pictures/decisions" aria-current={current === 'decisions' ? 'page' : undefined}>
        Decisions and blocked pictures
      </a>
    </nav>
  );
}

export function Pictures() {
  const { query } = useLocation();
  const view: View = query['view'] === 'refused' || query['view'] === 'allowed' ? query['view'] : 'waiting';
  const { cursor = '' } = query;
  const list = useRead<PicturesReply>(
    `/moderation/pictures${queryOf({ ...views[view].query, cursor, limit: '24' })}`,
  );
  return (
    <ConsolePage
      title="Pictures"
      lead="Uploaded pictures, newest first. Only refused LIVE pictures wait for a person."
    >
      <PictureTabs current={view} />
      <Loaded query={list} what="pictures" lines={10}>
        {({ pictures, nextCursor }) => (
          <>
            {pictures.length === 0 && (
              <Empty
                title={view === 'waiting' ? 'No LIVE picture waits for a person' : 'There is no such picture'}
              />
            )}
            <ul class="pictures">
              {pictures.map((picture) => (
                <li key={picture.contentHash} class="card">
                  <PictureFrame
                    src={`/api/moderation/pictures/${picture.contentHash}/copy`}
                    otherwise={`/api/offers/images/${picture.cleanHash}`}
                    alt={`Picture ${picture.contentHash.slice(0, 8)}`}
                    veiled={picture.verdict === 'refused'}
                    large={false}
                  />
                  <div class="stack">
                    <div class="row">
                      <Verdict word={picture.now ?? picture.verdict} />
                      <a href={`/pictures/${picture.contentHash}`}>
                        Review <span class="hidden">picture </span>
                        <code>{picture.contentHash.slice(0, 8)}</code>
                      </a>
                    </div>
                    <p class="small">
                      explicit {percent(picture.explicit)}, suggestive {percent(picture.suggestive)}
                      {picture.reason !== null && <> · refused as {picture.reason}</>}
                    </p>
                    <p class="small muted">
                      <a href={`/organisations/${picture.organisationId}`}>
                        Organisation {picture.organisationId}
                      </a>
                      , {picture.mode}, <When at={picture.at} />
                      {picture.uploads > 1 && <>, {picture.uploads} times</>}
                    </p>
                  </div>
                </li>
              ))}
            </ul>
            <PageLinks next={nextCursor} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  );
}

export function Verdict({ word }: { readonly word: 'allowed' | 'refused' }) {
  return <span class={`badge ${word === 'allowed' ? 'good' : 'problem'}`}>{word}</span>;
}

export function percent(share: number | null): string {
  return share === null ? 'unknown' : `${Math.round(share * 100)} %`;
}
