import { describe, expect, it } from '@jest/globals';
import type { ConsoleHealth, ServiceHealth } from '@offer-ads/contracts/admin/console-api';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { attentionTo } from './attention.ts';

type Facts = Omit<ConsoleHealth, 'attention'>;

const now = '2026-11-20T09:00:00.000Z';

function service(o: Partial<ServiceHealth> = {}): ServiceHealth {
  return {
    name: 'offers',
    ready: true,
    problems: [],
    brokerConnected: true,
    queued: 3,
    retrying: 2,
    parked: 0,
    outbox: 5,
    outboxOldestSeconds: 2,
    reports: true,
    ...o,
  };
}

/** Nothing needs a person. */
const sound: Facts = {
  checkedAt: now,
  status: { overall: 'operational', dependencies: [] },
  services: serviceNames.map((name) => service({ name })),
  ledger: { problems: 0, checkedAt: '2026-11-20T03:00:00.000Z' },
  ratesMissing: 1,
  waitingForApproval: 0,
  mails: { pending: 3, waiting: 0, oldestSeconds: 9_000, overdueSeconds: 10, serverAway: false },
  cardReversalsWaiting: 0,
  booksWithCreditsOwed: 0,
  reviewsWaiting: 0,
};

const broken = { name: 'postgres', state: 'down', since: now, responseMs: 3 } as const;

/** Each fact that needs a person, alone: how it is said, and where it leads. */
const cases: readonly [string, Partial<Facts>, string, string][] = [
  ['a gateway that is away', { status: null }, 'The gateway does not answer', '#services'],
  [
    'a public API that cannot be served',
    { status: { overall: 'down', dependencies: [] } },
    'Part of the public API cannot be served',
    '#services',
  ],
  [
    'a dependency that callers do not miss yet',
    { status: { overall: 'degraded', dependencies: [broken] } },
    'The gateway cannot reach postgres',
    '#services',
  ],
  [
    'a service that is not ready',
    { services: [service({ ready: false, problems: ['mongo does not answer'] })] },
    'offers is not ready: mongo does not answer',
    '#services',
  ],
  [
    'a service without figures',
    {
      services: [service({ reports: false, brokerConnected: null, parked: null, outboxOldestSeconds: null })],
    },
    'offers does not report its figures, so they are unknown',
    '#services',
  ],
  [
    'a service without the broker',
    { services: [service({ brokerConnected: false })] },
    'offers has no connection to the broker',
    '#services',
  ],
  [
    'an outbox that is stuck',
    { services: [service({ outboxOldestSeconds: 301 })] },
    'offers has not published its events for 5 minutes',
    '#services',
  ],
  [
    'parked events',
    { services: [service({ name: 'notifier', parked: 5 })] },
    '5 events of notifier are parked',
    '/parked?service=notifier',
  ],
  [
    'a ledger with problems',
    { ledger: { problems: 1, checkedAt: now } },
    'The ledger does not add up: its last check found 1 problem',
    '#ledger',
  ],
  [
    'a ledger that was not checked',
    { ledger: { problems: 0, checkedAt: '2026-11-19T02:59:59.000Z' } },
    'The ledger was not checked last night',
    '#ledger',
  ],
  [
    'rates that are out of date',
    { ratesMissing: 2 },
    'The exchange rates are out of date: 2 fixings are missing',
    '/rates',
  ],
  ['a dispute', { cardReversalsWaiting: 1 }, 'A refund or dispute waits for a decision', '/cards'],
  [
    'credits that are owed',
    { booksWithCreditsOwed: 1 },
    'Credits are owed for payments that the card provider took back',
    '/cards',
  ],
  [
    'a mail server that is away',
    { mails: { pending: 3, waiting: 0, oldestSeconds: 0, overdueSeconds: 1_000, serverAway: true } },
    'The mail server accepts no mails',
    '#mails',
  ],
  [
    'a mail that waits for long',
    { mails: { pending: 3, waiting: 0, oldestSeconds: 901, overdueSeconds: 901, serverAway: false } },
    'A mail has waited for 15 minutes to be sent',
    '#mails',
  ],
  [
    'mails that nobody can receive',
    { mails: { pending: 0, waiting: 2, oldestSeconds: 0, overdueSeconds: 0, serverAway: false } },
    '2 mails wait because nobody of their organisations can receive them',
    '/organisations',
  ],
  [
    'organisations without approval',
    { waitingForApproval: 3 },
    '3 organisations to approve',
    '/organisations?which=waiting',
  ],
  ['offers without a review', { reviewsWaiting: 1 }, '1 offer to review', '/reviews'],
];

describe('what needs a person', () => {
  it('is nothing while services are ready, and what waits is handled by itself', () => {
    expect(attentionTo(sound)).toEqual([]);
  });

  it.each(cases)('is %s', (_what, facts, words, link) => {
    expect(attentionTo({ ...sound, ...facts })).toEqual([{ severity: expect.any(String), words, link }]);
  });

  it('is listed with the worst first: what callers notice, then what can wait, then daily work', () => {
    const all = attentionTo({
      ...sound,
      waitingForApproval: 3,
      services: [service({ parked: 1 }), service({ name: 'billing', ready: false, problems: ['away'] })],
    });
    expect(all.map(({ severity }) => severity)).toEqual(['problem', 'warning', 'task']);
    expect(all[1]?.words).toBe('An event of offers is parked');
  });

  it('is unknown where figures are unknown: not nothing', () => {
    const unknown = service({ name: 'billing', reports: false, parked: null });
    const facts = { ledger: null, cardReversalsWaiting: null, booksWithCreditsOwed: null, mails: null };
    expect(attentionTo({ ...sound, ...facts, services: [unknown] })).toHaveLength(1);
  });
});
