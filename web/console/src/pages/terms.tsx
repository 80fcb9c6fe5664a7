/** The advertisers' terms: a new version with its preview, and all earlier ones. */
import type { TermsVersionReply, TermsVersionsReply } from '@offer-ads/contracts/admin/gateway-api';
import { useState } from 'preact/hooks';
import { InputField, TextAreaField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { ActionButton } from '../may.tsx';
import { ReasonDialog } from '../reason-dialog.tsx';
import { useRead } from '../session.ts';
import { type Draft, newDraft, readDraft, storeDraft } from '../terms/draft.ts';
import { TermsText } from '../terms/terms-text.tsx';
import { TextChanges } from '../terms/text-changes.tsx';

export function Terms() {
  const all = useRead<TermsVersionsReply>('/gateway/terms');
  const [done, setDone] = useState<string | null>(null);
  return (
    <ConsolePage
      title="Terms"
      lead="The advertising terms. No organisation can create offers until one of its admins has accepted the version that holds."
    >
      {done !== null && <Notice kind="good">{done}</Notice>}
      <Loaded query={all} what="the terms" lines={12}>
        {(data) => (
          <>
            <Versions of={data} />
            <NewVersion key={data.versions[0]?.id ?? 0} of={data} published={setDone} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  );
}

type OfProps = { readonly of: TermsVersionsReply };

function Versions({ of: { versions, organisations } }: OfProps) {
  const [shown, setShown] = useState<number | null>(null);
  if (versions.length === 0)
    return <Empty title="No terms have been published yet">Write the first version below.</Empty>;
  return (
    <section class="card" aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <Table
        rows={versions}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Version', kind: 'name', cell: ({ version }) => version },
          { title: 'Published', cell: ({ publishedAt }) => <When at={publishedAt} /> },
          {
            title: 'Holds from',
            cell: ({ publishedAt, holdsFrom }) => <When at={holdsFrom ?? publishedAt} precision="day" />,
          },
          {
            title: 'Accepted by',
            cell: ({ accepted }) => `${accepted} ${accepted === 1 ? 'organisation' : 'organisations'}`,
          },
          {
            title: 'Text',
            kind: 'actions',
            cell: ({ id, version }) => (
              <div class="row actions">
                <button
                  type="button"
                  class="quiet"
                  aria-expanded={shown === id}
                  onClick={() => setShown(shown === id ? null : id)}
                >
                  {shown === id ? 'Hide' : 'Show'} <span class="hidden">version {version}</span>
                </button>
              </div>
            ),
          },
        ]}
      />
      <p class="small muted">{organisations} organisations are enabled.</p>
      {shown !== null && <OneVersion key={shown} id={shown} before={before(versions, shown)} />}
    </section>
  );
}

/** The version before this one. */
function before(versions: TermsVersionsReply['versions'], id: number): number | null {
  return versions.find((version) => version.id < id)?.id ?? null;
}

function OneVersion({ id, before }: { readonly id: number; readonly before: number | null }) {
  const found = useRead<TermsVersionReply>(`/gateway/terms/${id}`);
  const earlier = useRead<TermsVersionReply>(`/gateway/terms/${before}`, { enabled: before !== null });
  return (
    <Loaded query={found} what="the text" lines={8}>
      {({ version, text }) => (
        <>
          <h3>Version {version}</h3>
          {earlier.data !== undefined && (
            <details>
              <summary>Changes since version {earlier.data.version}</summary>
              <TextChanges before={earlier.data.text} after={text} />
            </details>
          )}
          <TermsText text={text} />
        </>
      )}
    </Loaded>
  );
}

type NewVersionProps = OfProps & { readonly published: (words: string) => void };

/** Begins with the latest text, because most new versions are corrections of it. */
function NewVersion({ of, published }: NewVersionProps) {
  const [latest] = of.versions;
  const found = useRead<TermsVersionReply>(`/gateway/terms/${latest?.id}`, { enabled: latest !== undefined });
  if (latest === undefined) return <Editor of={of} latest="" published={published} />;
  return (
    <Loaded query={found} what="the latest text" lines={8}>
      {({ text }) => <Editor of={of} latest={text} published={published} />}
    </Loaded>
  );
}

function Editor({ of, latest, published }: NewVersionProps & { readonly latest: string }) {
  const [draft, setDraft] = useState<Draft>(() => readDraft() ?? newDraft(latest));
  const [asking, setAsking] = useState(false);
  const change = (part: Partial<Draft>) => {
    const changed = { ...draft, ...part };
    setDraft(changed);
    storeDraft(changed);
  };
  const from = of.versions.length === 0 || draft.holdsFrom === '' ? null : `${draft.holdsFrom}T00:00:00Z`;
  const isReady = draft.version.trim() !== '' && draft.text.trim() !== '' && draft.text !== latest;
  return (
    <section class="card" aria-labelledby="new">
      <h2 id="new">New version</h2>
      <InputField
        label="Name of the version"
        hint="For example its date: 2026-12-01. Every version has another name."
        maxLength={50}
        autocomplete="off"
        value={draft.version}
        onInput={(event) => change({ version: event.currentTarget.value })}
      />
      {of.versions.length > 0 && (
        <InputField
          label="Holds from (UTC)"
          hint="Until then the version before is enough, so that admins have time to accept this one. Empty: at once."
          type="date"
          value={draft.holdsFrom}
          onInput={(event) => change({ holdsFrom: event.currentTarget.value })}
        />
      )}
      <div class="editor">
        <TextAreaField
          label="Text"
          hint="Plain text or Markdown. It is kept in this tab until you publish it."
          spellcheck
          value={draft.text}
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
        <section class="stack" aria-label="Preview">
          <p class="label">Preview, as advertisers see it</p>
          <div class="preview">
            {draft.text.trim() === '' ? <Empty title="The text is empty" /> : <TermsText text={draft.text} />}
          </div>
        </section>
      </div>
      {latest !== '' && (
        <details>
          <summary>Changes since the latest version</summary>
          <TextChanges before={latest} after={draft.text} />
        </details>
      )}
      <div class="row">
        {isReady ? (
          <ActionButton call="POST /gateway/terms" onClick={() => setAsking(true)}>
            Publish …
          </ActionButton>
        ) : (
          <button type="button" disabled>
            Publish …
          </button>
        )}
        <button
          type="button"
          class="quiet"
          onClick={() => {
            storeDraft(null);
            setDraft(newDraft(latest));
          }}
        >
          Begin again with the latest text
        </button>
        {!isReady && (
          <span class="small muted">
            {draft.text.trim() === ''
              ? 'A version needs a text.'
              : draft.text === latest
                ? 'The text is that of the latest version.'
                : 'A version needs a name.'}
          </span>
        )}
      </div>
      {asking && (
        <ReasonDialog
          title={`Publish version ${draft.version.trim()}?`}
          submit="Publish it"
          act={(send) =>
            send('/gateway/terms', {
              version: draft.version.trim(),
              text: draft.text,
              ...(from && { holdsFrom: from }),
            })
          }
          done={() => `Version ${draft.version.trim()} is published.`}
          close={(message) => {
            setAsking(false);
            if (message === null) return;
            storeDraft(null);
            published(message);
          }}
        >
          <p>
            All must accept again: {of.organisations} organisations with {of.admins} admins.{' '}
            {from === null ? (
              <strong>At once,</strong>
            ) : (
              <>
                From <When at={from} precision="day" /> on
              </>
            )}{' '}
            an organisation cannot create offers until one of its admins has accepted this version. Offers
            that run are not affected.
          </p>
          <p>A published text cannot be changed or taken back. A correction is a new version.</p>
        </ReasonDialog>
      )}
    </section>
  );
}
