/** The advertising terms: the text, who accepted it, and earlier versions. */
import './terms.css';
import type { TermsReply, TermsTextReply } from '@offer-ads/contracts/portal/organisation-api';
import { useQueryClient } from '@tanstack/preact-query';
import { FileText } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Form } from '../../../../ui/form.tsx';
import { Notice } from '../../../../ui/notice.tsx';
import { Outcome } from '../../../../ui/outcome.tsx';
import { Empty, Loaded } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { organisationKey } from '../../organisation.ts';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal, useRead } from '../../session.ts';
import { markdownElements } from './markdown.ts';

type Version = TermsReply['earlier'][number];

export function Terms() {
  const terms = useRead<TermsReply>([usePortal().session.organisation.id, 'terms'], '/terms');
  return (
    <PortalPage
      title="Advertising terms"
      lead="Your organisation must accept them before it can create offers."
    >
      <Loaded query={terms} what="the terms" lines={8}>
        {(data) => <Standing terms={data} />}
      </Loaded>
    </PortalPage>
  );
}

function Standing({ terms }: { readonly terms: TermsReply }) {
  const { at, may } = usePortal();
  const { latest, earlier } = terms;
  const [accepted, setAccepted] = useState<string | null>(null);
  if (latest === null) return <Empty title="No terms have been published yet" icon={FileText} />;
  return (
    <>
      {accepted === latest.version && latest.acceptedAt !== null && (
        <Outcome key={accepted}>
          The terms are accepted. {may('offers') && <a href={at('offers/new')}>Create an offer</a>}
        </Outcome>
      )}
      <section class="stack" aria-labelledby="version">
        <div>
          <h2 id="version">Version {latest.version}</h2>
          <p class="muted">
            Published <When at={latest.publishedAt} precision="day" />. <Acceptance of={latest} />
            {latest.holdsFrom !== null && (
              <>
                {' '}
                It holds from <When at={latest.holdsFrom} precision="day" /> on; until then the version before
                is enough.
              </>
            )}
          </p>
        </div>
        <TermsText text={latest.text} />
        {latest.acceptedAt === null && <Accept version={latest.version} accepted={setAccepted} />}
      </section>
      {earlier.length > 0 && <Earlier versions={earlier} />}
    </>
  );
}

function Accept(o: { readonly version: string; readonly accepted: (version: string) => void }) {
  const { version, accepted } = o;
  const { api, may, session } = usePortal();
  const queries = useQueryClient();
  const queryKey = [session.organisation.id, 'terms'];
  if (!may('terms'))
    return (
      <Notice kind="warning">
        <p>These terms are not accepted yet. An admin of your organisation can accept them on this page.</p>
      </Notice>
    );
  const accept = async () => {
    const reply = await api.send<TermsReply>('POST', '/terms/acceptance', { json: { version } });
    if (!reply.ok) {
      if (reply.status !== 409) return reply.message;
      await queries.invalidateQueries({ queryKey });
      return 'A newer version was published meanwhile. It is shown now. Read it, then accept it.';
    }
    queries.setQueryData(queryKey, reply.body);
    void queries.invalidateQueries({ queryKey: organisationKey(session) });
    accepted(version);
    return null;
  };
  return (
    <Form send={accept} submit={`Accept version ${version}`} label="Accept the terms">
      <label class="choice">
        {/* Reset the checkbox when another version is shown. */}
        <input key={version} type="checkbox" name="read" required />
        <span>
          I have read the terms and accept them for <strong>{session.organisation.name}</strong>.
        </span>
      </label>
    </Form>
  );
}

function Acceptance({ of: { acceptedAt, acceptedBy } }: { readonly of: Version }) {
  if (acceptedAt === null) return <>Not accepted.</>;
  return (
    <>
      Accepted by {acceptedBy ?? 'the platform team'}, <When at={acceptedAt} />.
    </>
  );
}

function Earlier({ versions }: { readonly versions: readonly Version[] }) {
  const [read, setRead] = useState<string | null>(null);
  return (
    <section class="stack" aria-labelledby="earlier">
      <h2 id="earlier">Earlier versions</h2>
      <div class="card">
        <Table
          rows={versions}
          keyOf={(version) => version.version}
          columns={[
            { title: 'Version', cell: (version) => version.version },
            { title: 'Published', cell: (version) => <When at={version.publishedAt} precision="day" /> },
            { title: 'Accepted', cell: (version) => <Acceptance of={version} /> },
            {
              title: 'Text',
              kind: 'actions',
              cell: ({ version }) => (
                <button type="button" class="quiet" onClick={() => setRead(version)}>
                  Read<span class="hidden"> version {version}</span>
                </button>
              ),
            },
          ]}
        />
      </div>
      {read !== null && <EarlierText version={read} close={() => setRead(null)} />}
    </section>
  );
}

function EarlierText({ version, close }: { readonly version: string; readonly close: () => void }) {
  const query = new URLSearchParams({ version });
  const text = useRead<TermsTextReply>(['terms', version], `/terms/text?${query}`);
  return (
    <Dialog title={`Version ${version}`} close={close}>
      <Loaded query={text} what="the text" lines={8}>
        {(data) => <TermsText text={data.text} />}
      </Loaded>
      <div class="row">
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** The title of the page and the title of the version. */
const headingsAbove = 2;

function TermsText({ text }: { readonly text: string }) {
  const elements = useMemo(() => markdownElements(text, headingsAbove), [text]);
  return <div class="card terms">{elements}</div>;
}
