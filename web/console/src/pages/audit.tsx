/** The audit log: changing actions of staff in all services, newest first, with filters and export. */

import type { MergedAudit } from '@offer-ads/contracts/admin/audit-api';
import { useLocation } from 'preact-iso';
import { InputField, Options, SelectField } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { queryOf } from '../../../ui/query-of.ts';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { actionWords, wordsOf } from '../audit/action-words.ts';
import { ConsolePage } from '../console-page.tsx';
import { PageLinks } from '../page-links.tsx';
import { useRead } from '../session.ts';

type Entry = MergedAudit['entries'][number];
type Filters = Readonly<Record<'actor' | 'action' | 'target' | 'organisationId' | 'from' | 'to', string>>;

const actions = Object.keys(actionWords).toSorted((a, b) => wordsOf(a).localeCompare(wordsOf(b)));

export function Audit() {
  const { query, route } = useLocation();
  const {
    actor = '',
    action = '',
    target = '',
    organisationId = '',
    from = '',
    to = '',
    cursor = '',
  } = query;
  const filters: Filters = { actor, action, target, organisationId, from, to };
  const page = useRead<MergedAudit>(`/audit${queryOf({ ...inCall(filters), cursor, limit: '50' })}`);
  const filter = async (values: FormData) => {
    const given = Object.keys(filters).map((name) => [name, textOf(values, name)]);
    route(`/audit${queryOf(Object.fromEntries(given) as Filters)}`);
    return null;
  };
  const exported = (format: string) => `/api/audit/export${queryOf({ ...inCall(filters), format })}`;
  return (
    <ConsolePage
      title="Audit log"
      lead="What staff have changed, with the console or the admin tool. Entries cannot be changed."
      actions={
        <>
          <a class="button quiet" href={exported('csv')} download>
            Export as CSV
          </a>
          <a class="button quiet" href={exported('jsonl')} download>
            Export as JSON lines
          </a>
        </>
      }
    >
      <Form label="Filter" submit="Show" send={filter} key={JSON.stringify(filters)}>
        <div class="filters">
          <Text label="Person" name="actor" value={actor} />
          <SelectField label="Action" name="action">
            <option value="">All actions</option>
            <Options
              of={[...new Set([...actions, ...(action === '' ? [] : [action])])].map((one) => [
                one,
                wordsOf(one),
              ])}
              chosen={action}
            />
          </SelectField>
          <Text label="About" name="target" value={target} placeholder="offers/7" />
          <Text label="Organisation" name="organisationId" value={organisationId} placeholder="Number" />
          <Text label="From (UTC)" name="from" value={from} type="date" />
          <Text label="To, included (UTC)" name="to" value={to} type="date" />
        </div>
      </Form>
      <Loaded query={page} what="the audit log" lines={10}>
        {({ entries, nextCursor, missing }) => (
          <>
            {missing.length > 0 && (
              <Notice kind="warning">
                Without the entries of {missing.join(', ')}: no answer. Look at the health, and load this page
                again.
              </Notice>
            )}
            {entries.length === 0 ? (
              <Empty title="No such action" />
            ) : (
              <div class="card">
                <Entries entries={entries} />
              </div>
            )}
            <PageLinks next={nextCursor} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  );
}

type TextProps = {
  readonly label: string;
  readonly name: keyof Filters;
  readonly value: string;
  readonly type?: string;
  readonly placeholder?: string;
};

function Text({ label, name, value, type = 'text', placeholder }: TextProps) {
  return (
    <InputField
      label={label}
      name={name}
      type={type}
      defaultValue={value}
      placeholder={placeholder}
      maxLength={200}
      autocapitalize="none"
      spellcheck={false}
    />
  );
}

/** Days become instants: the page asks for whole days in UTC. */
function inCall({ from, to, ...same }: Filters): Readonly<Record<string, string>> {
  const end = Date.parse(to) + 86_400_000;
  // A day that does not exist is sent as it is, and refused.
  return {
    ...same,
    from: from && `${from}T00:00:00Z`,
    to: Number.isNaN(end) ? to : new Date(end).toISOString(),
  };
}

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <Table
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Time and person',
          cell: (entry) => (
            <>
              <When at={entry.at} precision="second" />
              <Who {...entry} />
            </>
          ),
        },
        {
          title: 'Action',
          cell: ({ service, action, details }) => (
            <>
              <a href={`/audit${queryOf({ action })}`} title={action}>
                {wordsOf(action)}
              </a>{' '}
              <span class="muted">{service}</span>
              {Object.keys(details).length > 0 && (
                <div class="small muted">
                  {Object.entries(details)
                    .map(([name, value]) => `${name}: ${String(value)}`)
                    .join(', ')}
                </div>
              )}
            </>
          ),
        },
        {
          title: 'About',
          cell: ({ targets, organisationId }) => (
            <>
              {targets.map((target) => (
                <div key={target}>
                  <a class="hash" href={`/audit${queryOf({ target })}`}>
                    {target}
                  </a>
                </div>
              ))}
              {organisationId !== null && !targets.includes(`organisations/${organisationId}`) && (
                <a href={`/audit${queryOf({ organisationId: String(organisationId) })}`}>
                  of organisation {organisationId}
                </a>
              )}
            </>
          ),
        },
        { title: 'Reason', cell: ({ reason }) => reason ?? '' },
        { title: 'Outcome', cell: (entry) => <Outcome {...entry} /> },
      ]}
    />
  );
}

const ways = {
  token: 'admin token',
  console: 'console',
  emergency: 'emergency token',
  portal: 'portal',
} as const;

function Who({ actor, via, roles }: Entry) {
  return (
    <>
      <div class="actor">
        <a class="address" href={`/audit${queryOf({ actor })}`}>
          {actor}
        </a>
      </div>
      <div class="small muted">
        {via === 'emergency' ? <span class="badge warning">{ways[via]}</span> : ways[via]}
        {(via === 'console' || via === 'portal') && roles.length > 0 && `, ${roles.join(', ')}`}
      </div>
    </>
  );
}

function Outcome({ status, requestId, action, details }: Entry) {
  // The gateway answers each report of a sign-in: what happened to the person is in the report.
  const isRefusedSignIn = action === 'POST /console/sign-ins' && details['result'] !== 'signed in';
  if (isRefusedSignIn)
    return (
      <span class="badge problem" title={`Request ${requestId}`}>
        refused
      </span>
    );
  return (
    <span title={`Request ${requestId}`}>
      {status === null ? (
        <span class="badge warning">unknown</span>
      ) : (
        <span class={`badge ${status < 400 ? 'good' : 'problem'}`}>
          {status < 400 ? 'done' : `refused (${status})`}
        </span>
      )}
    </span>
  );
}
