/** The record of a picture, and a person's decision about it, which overrides the model. */
import type { ImageOffersReply } from '@offer-ads/contracts/admin/offers-api';
import type { PictureReply, RulingRequest } from '@offer-ads/contracts/internal/moderation-api';
import { useRoute } from 'preact-iso';
import { Notice } from '../../../ui/notice.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { ActionButton } from '../may.tsx';
import { OffersTable } from '../offers/offers-table.tsx';
import { Part } from '../organisations/organisation-parts.tsx';
import { PictureFrame } from '../pictures/picture-frame.tsx';
import { RulingsTable } from '../pictures/rulings-table.tsx';
import { ReasonDialog } from '../reason-dialog.tsx';
import { useRead } from '../session.ts';
import { useAction } from '../use-action.ts';
import { percent, Verdict } from './pictures.tsx';

export function Picture() {
  const { name = '' } = useRoute().params;
  const found = useRead<PictureReply>(`/moderation/pictures/${name}`);
  return (
    <ConsolePage
      title={`Picture ${name.slice(0, 8)}`}
      lead={
        <>
          <a href="/pictures">Pictures</a> / <code class="hash">{name}</code>
        </>
      }
    >
      <Loaded query={found} what="the picture" lines={12}>
        {(picture) => <Shown picture={picture} />}
      </Loaded>
    </ConsolePage>
  );
}

type Action = RulingRequest['action'];

const actions: Record<Action, { title: string; submit: string; words: string; done: string }> = {
  allow: {
    title: 'Allow this picture?',
    submit: 'Allow it',
    words: 'Exactly this picture is allowed from the next upload on. This overrides the model.',
    done: 'The picture is allowed.',
  },
  block: {
    title: 'Refuse this picture?',
    submit: 'Refuse it',
    words:
      'This picture and changed copies of it are refused from the next upload on. This overrides the model. Existing offers with it are not changed: disable them one by one.',
    done: 'The picture is refused.',
  },
  withdraw: {
    title: 'Take back the decision?',
    submit: 'Take it back',
    words: 'The model decides about this picture again.',
    done: 'The decision is taken back.',
  },
};

function Shown({ picture }: { readonly picture: PictureReply }) {
  const { asking, done, begin, end } = useAction<Action>();
  const { contentHash, cleanHash, earlierCleanHashes, now, uploaded, verdicts, rulings } = picture;
  return (
    <>
      {done !== null && <Notice kind="good">{done}</Notice>}
      <section class="card" aria-labelledby="decision">
        <h2 id="decision">Decision</h2>
        <PictureFrame
          src={`/api/moderation/pictures/${contentHash}/copy`}
          otherwise={`/api/offers/images/${cleanHash}`}
          alt="The picture as it was uploaded"
          veiled={now.verdict === 'refused' || uploaded?.last.verdict === 'refused'}
        />
        <dl class="facts">
          <dt>The next upload is</dt>
          <dd>
            {now.verdict === null ? 'the model will judge it again' : <Verdict word={now.verdict} />}
            {now.reason !== null && <> as {now.reason}</>}
            {now.ruling !== null && <> by decision of {now.ruling.author}</>}
          </dd>
          {uploaded !== null && (
            <>
              <dt>Uploaded</dt>
              <dd>
                {uploaded.uploads === 1 ? 'once' : `${uploaded.uploads} times`}, last{' '}
                <When at={uploaded.last.at} /> by{' '}
                <a href={`/organisations/${uploaded.last.organisationId}`}>
                  organisation {uploaded.last.organisationId}
                </a>{' '}
                in {uploaded.last.mode} mode
              </dd>
              <dt>Kind</dt>
              <dd>
                {uploaded.type.toUpperCase()}
                {uploaded.frames > 1 && <>, {uploaded.frames} frames</>}
              </dd>
            </>
          )}
          <dt>Changed copies</dt>
          <dd>{picture.copiesRecognised ? 'would be recognised' : 'are not recognised: it is too plain'}</dd>
        </dl>
        <div class="row">
          <ActionButton call="POST /moderation/rulings" onClick={() => begin('allow')}>
            Allow …
          </ActionButton>
          <ActionButton call="POST /moderation/rulings" class="danger" onClick={() => begin('block')}>
            Refuse …
          </ActionButton>
          {now.ruling !== null && (
            <ActionButton call="POST /moderation/rulings" class="quiet" onClick={() => begin('withdraw')}>
              Take back …
            </ActionButton>
          )}
        </div>
      </section>
      <section class="card" aria-labelledby="scores">
        <h2 id="scores">What the model says</h2>
        {verdicts.length === 0 && <p>The model has not judged it.</p>}
        {verdicts.map((verdict) => (
          <div key={`${verdict.judgedAt} ${verdict.model.version}`} class="stack">
            <p>
              <Verdict word={verdict.verdict} /> by {verdict.model.name} {verdict.model.version},{' '}
              <When at={verdict.judgedAt} />
              {!verdict.current && <span class="badge muted">no longer in use</span>}
            </p>
            <Table
              rows={verdict.looks}
              keyOf={(_, index) => index}
              columns={[
                { title: 'Look', cell: (look, index) => index + 1 },
                {
                  title: `Explicit (refused from ${percent(verdict.thresholds.explicit)})`,
                  short: 'Explicit',
                  numeric: true,
                  cell: (look) => percent(look.explicit),
                },
                {
                  title: `Suggestive (refused from ${percent(verdict.thresholds.suggestive)})`,
                  short: 'Suggestive',
                  numeric: true,
                  cell: (look) => percent(look.suggestive),
                },
                {
                  title: "In the model's words",
                  short: 'In its words',
                  cell: (look) =>
                    Object.entries(look.labels)
                      .map(([label, share]) => `${label} ${percent(share)}`)
                      .join(', '),
                },
              ]}
            />
          </div>
        ))}
      </section>
      <OffersShowing title="Offers that show it" hash={cleanHash} />
      {earlierCleanHashes.map((hash) => (
        <OffersShowing key={hash} title="Offers that show it as it was encoded earlier" hash={hash} />
      ))}
      <section class="card" aria-label="Decisions of people">
        <h2>Decisions of people</h2>
        {rulings.length === 0 ? <p>Nobody has decided about it.</p> : <RulingsTable rulings={rulings} />}
      </section>
      {asking !== null && (
        <ReasonDialog
          title={actions[asking].title}
          submit={actions[asking].submit}
          act={(send) => send('/moderation/rulings', { action: asking, name: contentHash })}
          done={() => actions[asking].done}
          close={end}
        >
          <p>{actions[asking].words}</p>
        </ReasonDialog>
      )}
    </>
  );
}

function OffersShowing({ title, hash }: { readonly title: string; readonly hash: string }) {
  const offers = useRead<ImageOffersReply>(`/offers/images/${hash}/offers`);
  const empty = offers.data?.offers.length === 0 ? 'No offer shows it' : null;
  return (
    <Part title={title} query={offers} empty={empty}>
      {(data) => <OffersTable offers={data.offers} foreign />}
    </Part>
  );
}
