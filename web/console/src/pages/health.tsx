/** The health of the system, as the services report it. */
import type { ConsoleHealth, ServiceHealth } from '@offer-ads/contracts/admin/console-api';
import { Notice } from '../../../ui/notice.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { howLong } from '../how-long.ts';
import { useRead } from '../session.ts';

export function Health() {
  const health = useRead<ConsoleHealth>('/health', { refetchEveryMs: 15_000 });
  return (
    <ConsolePage
      title="Overview"
      lead={
        health.data === undefined ? (
          'The state of the system'
        ) : (
          <>
            As of <When at={health.data.checkedAt} />, refreshed every 15 seconds
          </>
        )
      }
    >
      <Loaded query={health} what="the health of the system" lines={12}>
        {(data) => <Shown health={data} />}
      </Loaded>
    </ConsolePage>
  );
}

function Shown({ health }: { readonly health: ConsoleHealth }) {
  const { services } = health;
  return (
    <>
      <Headline attention={health.attention} />
      <Figures health={health} />
      <section class="card" aria-labelledby="services">
        <h2 id="services" tabIndex={-1}>
          Services
        </h2>
        <Table
          rows={services}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Service', kind: 'name', cell: ({ name }) => name },
            { title: 'State', cell: (service) => <State of={service} /> },
            { title: 'Queued', numeric: true, cell: ({ queued }) => queued ?? '–' },
            { title: 'To be tried again', numeric: true, cell: ({ retrying }) => retrying ?? '–' },
            {
              title: 'Parked',
              numeric: true,
              cell: ({ name, parked }) =>
                parked === null || parked === 0 ? (
                  (parked ?? '–')
                ) : (
                  <a href={`/parked?service=${name}`}>{parked}</a>
                ),
            },
            {
              title: 'Outbox',
              numeric: true,
              cell: ({ outbox, outboxOldestSeconds: oldest }) => (
                <>
                  {outbox ?? '–'}
                  {(oldest ?? 0) >= 60 && <> (the oldest for {howLong(oldest ?? 0)})</>}
                </>
              ),
            },
          ]}
        />
      </section>
    </>
  );
}

const kinds = { problem: 'problem', warning: 'warning', task: undefined } as const;
const badges = {
  problem: ['problem', 'problem'],
  warning: ['warning', 'soon'],
  task: ['muted', 'today'],
} as const;

/** Says that everything works only if there is nothing to do. */
function Headline({ attention }: Pick<ConsoleHealth, 'attention'>) {
  const [worst] = attention;
  if (worst === undefined)
    return (
      <Notice kind="good">
        <p>
          <strong>Everything works, and there is nothing to do</strong>
        </p>
      </Notice>
    );
  const kind = kinds[worst.severity];
  return (
    <Notice {...(kind && { kind })}>
      <p>
        <strong>
          {worst.severity === 'task'
            ? 'Today:'
            : attention.length === 1
              ? '1 thing to do'
              : `${attention.length} things to do`}
        </strong>
      </p>
      <ul class="attention">
        {attention.map(({ severity, words, link }) => (
          <li key={words}>
            <span class={`badge ${badges[severity][0]}`}>{badges[severity][1]}</span>{' '}
            <a href={link}>{words}</a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function State({ of: { ready, brokerConnected, problems } }: { readonly of: ServiceHealth }) {
  return (
    <>
      <span class={`badge ${ready ? 'good' : 'problem'}`}>{ready ? 'ready' : 'not ready'}</span>{' '}
      {brokerConnected === false && <span class="badge warning">no broker</span>} {problems.join(', ')}
    </>
  );
}

function Figures({ health }: { readonly health: ConsoleHealth }) {
  const { services, ledger, ratesMissing, waitingForApproval: waiting, reviewsWaiting, mails } = health;
  const parked = services.reduce((sum, service) => sum + (service.parked ?? 0), 0);
  return (
    <div class="cards">
      <Figure title="Parked events" kind={parked > 0 ? 'warning' : 'good'} badge={String(parked)}>
        <a href="/parked">{parked > 0 ? 'Replay or drop them' : 'None to look at'}</a>
      </Figure>
      <Figure
        title="Organisations"
        kind={waiting === null ? 'muted' : waiting > 0 ? 'warning' : 'good'}
        badge={waiting === null ? 'unknown' : `${waiting} waiting`}
      >
        <a href="/organisations?which=waiting">Those that wait for approval</a>
      </Figure>
      <Figure
        title="Reviews"
        kind={reviewsWaiting === null ? 'muted' : reviewsWaiting > 0 ? 'warning' : 'good'}
        badge={reviewsWaiting === null ? 'unknown' : `${reviewsWaiting} waiting`}
      >
        <a href="/reviews">LIVE offers that nobody has looked at</a>
      </Figure>
      <Figure
        id="ledger"
        title="Ledger"
        kind={ledger === null ? 'muted' : ledger.problems > 0 ? 'problem' : 'good'}
        badge={ledger === null ? 'unknown' : ledger.problems > 0 ? `${ledger.problems} problems` : 'adds up'}
      >
        {ledger === null || ledger.checkedAt === null ? (
          'Not checked yet'
        ) : (
          <>
            Last checked <When at={ledger.checkedAt} />
          </>
        )}
      </Figure>
      <Figure
        title="Exchange rates"
        kind={ratesMissing === null ? 'muted' : ratesMissing >= 2 ? 'problem' : 'good'}
        badge={ratesMissing === null ? 'unknown' : ratesMissing >= 2 ? 'out of date' : 'current'}
      >
        <a href="/rates">
          {ratesMissing === null || ratesMissing === 0
            ? 'The rates in use'
            : `${ratesMissing} fixings are missing`}
        </a>
      </Figure>
      <Figure
        id="mails"
        title="Mails"
        kind={mails === null ? 'muted' : mails.serverAway || mails.overdueSeconds > 900 ? 'warning' : 'good'}
        badge={
          mails === null ? 'unknown' : mails.serverAway ? 'mail server away' : `${mails.pending} to send`
        }
      >
        {mails === null
          ? 'The notifier does not report its mails'
          : `${mails.waiting} wait for a contact${mails.pending > 0 ? `; the oldest to send for ${howLong(mails.oldestSeconds)}` : ''}`}
      </Figure>
    </div>
  );
}

type FigureProps = {
  /** For links of the headline. */
  readonly id?: string;
  readonly title: string;
  readonly kind: 'good' | 'warning' | 'problem' | 'muted';
  readonly badge: string;
  readonly children: preact.ComponentChildren;
};

function Figure({ id, title, kind, badge, children }: FigureProps) {
  return (
    <section class="card" id={id}>
      <div class="row spread">
        <h2>{title}</h2>
        <span class={`badge ${kind}`}>{badge}</span>
      </div>
      <p class="small">{children}</p>
    </section>
  );
}
