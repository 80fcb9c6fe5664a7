/**
 * What needs a person, derived from the health of the system. The overview says that everything works only if this list is empty, so
 * everything that the overview shows and that cannot repair itself belongs here. Limits are those of the alerts (deploy/monitoring/alerts.yaml).
 */
import type { Attention, ConsoleHealth, ServiceHealth } from '@offer-ads/contracts/admin/console-api';

/** Alert OutboxStuck. */
const OUTBOX_SECONDS = 300;
/** Alert MailsUnsent. */
const MAIL_SECONDS = 900;
/** Alert RatesStale: one missing fixing is usual on a holiday. */
const FIXINGS_MISSING = 2;
/** Alert LedgerCheckMissing: one nightly check was missed. */
const LEDGER_CHECK_MS = 30 * 3_600_000;

type Facts = Omit<ConsoleHealth, 'attention'>;
type Severity = Attention['severity'];
type Found = Attention | false;

/** The worst first; of one severity in the order of the overview. */
export function attentionTo(health: Facts): readonly Attention[] {
  const all = [
    ...ofStatus(health),
    ...health.services.flatMap(ofService),
    ...ofMoney(health),
    ...ofMails(health),
    waiting(health.waitingForApproval, '/organisations?which=waiting', {
      one: '1 organisation to approve',
      many: 'organisations to approve',
    }),
    waiting(health.reviewsWaiting, '/reviews', {
      one: '1 offer to review',
      many: 'offers to review',
    }),
  ].filter((found) => found !== false);
  return all.toSorted((one, other) => ranks[one.severity] - ranks[other.severity]);
}

const ranks: Readonly<Record<Severity, number>> = { problem: 0, warning: 1, task: 2 };

function ofStatus({ status }: Facts): readonly Found[] {
  if (status === null) return [problem('The gateway does not answer', services)];
  const isDown = status.overall === 'down';
  return [
    isDown && problem('Part of the public API cannot be served', services),
    ...status.dependencies
      .filter(({ state }) => state === 'down')
      .map(({ name }) => (isDown ? problem : warning)(`The gateway cannot reach ${name}`, services)),
  ];
}

const services = '#services';

function ofService(service: ServiceHealth): readonly Found[] {
  const { name, ready, reports, problems, brokerConnected, parked, outboxOldestSeconds } = service;
  return [
    !ready && problem(`${name} is not ready: ${problems.join(', ')}`, services),
    ready && !reports && warning(`${name} does not report its figures, so they are unknown`, services),
    ready && brokerConnected === false && problem(`${name} has no connection to the broker`, services),
    (outboxOldestSeconds ?? 0) > OUTBOX_SECONDS &&
      problem(`${name} has not published its events for ${minutes(outboxOldestSeconds ?? 0)}`, services),
    (parked ?? 0) > 0 &&
      warning(
        parked === 1 ? `An event of ${name} is parked` : `${parked} events of ${name} are parked`,
        `/parked?service=${name}`,
      ),
  ];
}

function ofMoney(health: Facts): readonly Found[] {
  const { ledger, ratesMissing, cardReversalsWaiting, booksWithCreditsOwed } = health;
  const checkedAt = ledger?.checkedAt ?? null;
  const isOverdue =
    checkedAt !== null && Date.parse(health.checkedAt) - Date.parse(checkedAt) > LEDGER_CHECK_MS;
  return [
    (ledger?.problems ?? 0) > 0 &&
      problem(
        `The ledger does not add up: its last check found ${counted(ledger?.problems ?? 0, 'problem')}`,
        '#ledger',
      ),
    isOverdue && warning('The ledger was not checked last night', '#ledger'),
    (ratesMissing ?? 0) >= FIXINGS_MISSING &&
      problem(`The exchange rates are out of date: ${ratesMissing} fixings are missing`, '/rates'),
    waiting(cardReversalsWaiting, '/cards', {
      one: 'A refund or dispute waits for a decision',
      many: 'refunds and disputes wait for a decision',
    }),
    (booksWithCreditsOwed ?? 0) > 0 &&
      warning('Credits are owed for payments that the card provider took back', '/cards'),
  ];
}

function ofMails({ mails }: Facts): readonly Found[] {
  if (mails === null) return [];
  return [
    mails.serverAway && problem('The mail server accepts no mails', '#mails'),
    !mails.serverAway &&
      mails.overdueSeconds > MAIL_SECONDS &&
      problem(`A mail has waited for ${minutes(mails.overdueSeconds)} to be sent`, '#mails'),
    waiting(mails.waiting, '/organisations', {
      one: 'A mail waits because nobody of its organisation can receive it',
      many: 'mails wait because nobody of their organisations can receive them',
    }),
  ];
}

function waiting(count: number | null, link: string, words: { one: string; many: string }): Found {
  if (count === null || count === 0) return false;
  return { severity: 'task', words: count === 1 ? words.one : `${count} ${words.many}`, link };
}

function problem(words: string, link: string): Attention {
  return { severity: 'problem', words, link };
}

function warning(words: string, link: string): Attention {
  return { severity: 'warning', words, link };
}

function minutes(seconds: number): string {
  return counted(Math.floor(seconds / 60), 'minute');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
