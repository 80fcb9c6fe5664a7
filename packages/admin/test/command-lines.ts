/**
 * Command lines, with what each asks of the services and prints, in one text. `npx node packages/admin/test/command-lines.ts` writes it
 * after a change.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PictureReply } from '@offer-ads/contracts/internal/moderation-api';
import { runAdmin } from '../src/run.ts';
import { Refused, type Tools } from '../src/tools.ts';

const at = '2026-06-01T12:00:00.000Z';
const mail = {
  id: 'offer-paid/offer/17 to ann@cafe.example',
  state: 'failed',
  event: 'OfferPaymentApplied',
  organisationId: 1,
  recipient: 'ann@cafe.example',
  subject: 'Offer paid',
  createdAt: at,
  attempts: 1,
  nextAttemptAt: null,
  settledAt: at,
  problem: '550 5.7.1 Blocked',
};
const mailRecord = {
  ...mail,
  messageId: '<0123@ads.example>',
  expiresAt: null,
  history: [{ at, state: 'failed', problem: mail.problem, reply: null, uncertain: false }],
  resends: [],
};
const bounce = {
  address: 'ann@cafe.example',
  refusals: 1,
  lastRefusedAt: at,
  heededUntil: at,
  problem: '550',
};
const webhook = {
  id: 'we_1',
  organisationId: 3,
  mode: 'TEST',
  host: 'shop.example',
  status: 'enabled',
  disabledReason: null,
  failingSince: null,
  eventTypes: ['offer.paid'],
  createdAt: at,
};
const webhookRecord = { messages: [], ...webhook, changes: [{ at, by: 'person 7', what: 'created' }] };
const people = [
  { id: 1, email: 'ann@tea.example', role: 'admin', enabled: true },
  { id: 2, email: 'bo@tea.example', role: 'developer', enabled: false },
];
/** For commands about money, which ask the gateway for the currency first. */
const inPounds = {
  'GET /admin/organisations/3': {
    id: 3,
    name: 'Tea House Ltd',
    tradingName: 'Tea',
    adminEmail: 'ann@tea.example',
    country: 'GB',
    currency: 'GBP',
  },
};
const booking = { bookedAt: at, offerId: 7, title: 'Two for one' };
const statement = {
  mode: 'LIVE',
  currency: 'GBP',
  openingBalanceMinor: '5000',
  closingBalanceMinor: '3800',
  entries: [
    {
      ...booking,
      kind: 'offer-card-payment',
      cause: 'offer 7 paid by card',
      amountMinor: '0',
      balanceMinor: '3800',
      card: { netMinor: '1000', vatMinor: '200' },
    },
    {
      ...booking,
      kind: 'offer-charge',
      cause: 'offer 7 charged',
      amountMinor: '-1200',
      balanceMinor: '3800',
      card: null,
    },
  ],
  nextCursor: 'c-2',
};
const threshold = { mode: 'TEST', currency: 'GBP', balanceMinor: '900' };
const invoice = {
  number: 'INV-000009',
  document: 'invoice',
  invoiceNumber: null,
  cancelsNumber: null,
  kind: 'offer',
  offerId: 7,
  title: 'Tea',
  currency: 'GBP',
  netMinor: '1000',
  vatMinor: '200',
  grossMinor: '1200',
  paidAt: at,
  issuedAt: at,
};
const reversal = {
  id: 're_1',
  kind: 'refund',
  mode: 'LIVE',
  currency: 'GBP',
  amountMinor: '1250',
  status: 'succeeded',
  reason: null,
  heardAt: at,
  taken: true,
  returned: false,
  organisationId: 3,
  offerId: 7,
  topUpId: null,
  booked: true,
  settlement: null,
};
const owed = {
  organisationId: 3,
  offerId: 7,
  mode: 'LIVE',
  currency: 'GBP',
  creditedMinor: '1000',
  owedMinor: '750',
};
const settled = {
  id: 're-1',
  kind: 'refund',
  mode: 'LIVE',
  currency: 'GBP',
  amountMinor: '1250',
  borneBy: 'platform',
  reason: 'goodwill',
  decidedBy: 'ann',
  settledAt: at,
  givenBack: false,
};
const checked = { ok: true, members: 9, counted: 9, targets: 100, differing: 0, repaired: false };
const parked = {
  id: 'e1',
  type: null,
  subject: null,
  reason: 'broken',
  attempts: 5,
  parkedAt: null,
  body: '{}',
};
const catalogue = {
  version: 4,
  categories: [
    { categoryId: 1, categoryName: 'Food', active: true, organisationIds: null },
    { categoryId: 2, categoryName: 'Music', active: true, organisationIds: [7, 3] },
  ],
  interests: [{ interestId: 1, interestName: 'Hiking', active: false }],
};
const ofCatalogue = {
  'GET /admin/catalogue': catalogue,
  'PUT /admin/catalogue': { ...catalogue, version: 5 },
};
/** What the gateway and the notifier have of a person. */
export const erasure = {
  'gateway POST /admin/people/erase': {
    email: 'ann@tea.example',
    memberships: [
      {
        personId: 7,
        organisationId: 3,
        organisationName: 'Tea House',
        role: 'admin',
        isLastAdmin: true,
      },
    ],
    sessions: 2,
    links: 0,
    signUps: 1,
    events: null,
  },
  'notifier POST /admin/people/erase': { contacts: 1, notifications: 12, bounces: 0, preferences: 1 },
  'GET /admin/parked': { parked: [] },
};
/** An entry of the audit log. */
export const audited = {
  id: '00000000-0000-4000-8000-000000000001',
  at,
  actor: 'ann',
  subject: null,
  roles: [],
  via: 'token',
  action: 'POST /offers/:id/disable',
  targets: ['offers/7'],
  organisationId: 3,
  reason: 'stolen',
  details: {},
  requestId: 'a-request',
  traceId: null,
  status: 200,
};
const contentHash = 'a'.repeat(64);
const ruling = { number: 4, at, author: 'ann', action: 'block', reason: 'stolen', contentHash } as const;
const last = { at, organisationId: 3, mode: 'LIVE', verdict: 'refused', reason: 'explicit' } as const;
/** A picture that a person has blocked. */
export const picture: PictureReply = {
  contentHash,
  cleanHash: 'c'.repeat(64),
  earlierCleanHashes: [],
  now: { verdict: 'refused', reason: 'blocked', ruling },
  copiesRecognised: true,
  uploaded: { type: 'jpeg', frames: 1, uploads: 2, firstAt: at, last },
  verdicts: [
    {
      judgedAt: '2026-06-01T11:00:00.000Z',
      model: { name: 'nsfwjs', version: 'abc' },
      thresholds: { explicit: 0.6, suggestive: 0.9 },
      current: true,
      verdict: 'refused',
      reason: 'explicit',
      looks: [
        { explicit: 0.1, suggestive: 0.95, labels: { Sexy: 0.85, Porn: 0.1 } },
        { explicit: 0.71234, suggestive: 0.8, labels: { Porn: 0.71234 } },
      ],
    },
  ],
  rulings: [ruling],
  copyKept: true,
};
const uploaded = {
  ...last,
  contentHash,
  cleanHash: contentHash,
  now: null,
  explicit: 0.71234,
  suggestive: null,
  uploads: 2,
};

type Replies = Readonly<Record<string, object>>;
/** Replies by method and path, for one service or for all; `{"done": true}` where none is given. One with a message is a refusal. */
const commandLines: readonly (string | readonly [words: string, replies: Replies])[] = [
  'org create --name Tea --trading-name House --country GB --currency GBP --admin-email bo@tea.example',
  'org disable --org 3',
  'org enable 3',
  'org approve --org 7',
  'org withdraw-approval --org 7 --reason in-no-register',
  'org quota --org 3 --mode test --per-org 2 --per-person 0',
  'org show 3',
  // It is worth showing without its clock.
  [
    'org show --org 3',
    { 'GET /admin/organisations/3': { id: 3, people }, 'GET /admin/test-clocks/3': { message: 'Not now' } },
  ],
  'terms accept --org 3',
  ['person list --org 3', { 'GET /admin/organisations/3/people': { people } }],
  ['person list --org 3 --email bo@tea.example', { 'GET /admin/organisations/3/people': { people } }],
  'person invite --org 3 --email bo@tea.example --role developer',
  'person disable --org 3 --email bo@tea.example',
  'person enable --org 3 --email bo@tea.example',
  'person reinvite --org 3 --email bo@tea.example',
  'person role --org 3 --email bo@tea.example --role admin',
  'session end --org 3 --email bo@tea.example',
  ['person erase ann@tea.example', erasure],
  ['person erase 7 --confirm yes', erasure],
  'person erase ann',
  'key create --org 3 --mode live --expires 2027-01-01T00:00:00+01:00 --email bo@tea.example',
  'key create --org 3 --mode none',
  'key roll 7',
  'key disable 7',
  'key limit 7 --per-minute 600',
  'key limit 7 --per-minute none',
  [
    'key list --org 3',
    {
      'GET /admin/organisations/3/keys': {
        keys: [
          { id: 1, mode: 'TEST', expiresAt: null },
          { id: 12, mode: 'LIVE', expiresAt: null },
        ],
      },
    },
  ],
  'placement-key create --mode test --name page --per-minute 1000000',
  'placement-key roll 7',
  'placement-key roll 7 --overlap-hours 24',
  'placement-key disable 7',
  'placement-key limit 7 --per-minute 600',
  'placement-key list',
  'placement-key calls --key 7',
  ['call list --org 3', { 'GET /admin/organisations/3/calls': { calls: [{ keyId: 1 }], nextCursor: 'abc' } }],
  [
    'call list --org 3 --key 7 --status 4xx --from 2026-11-01T00:00:00+01:00 --to 2026-11-02T00:00:00Z',
    { 'GET /admin/organisations/3/calls': { calls: [], nextCursor: null } },
  ],
  [
    'balance show --org 3 --mode test',
    { ...inPounds, 'GET /admin/balances': { ...threshold, organisationId: 3, balanceMinor: '-5' } },
  ],
  [
    'balance statement --org 3 --mode live --from 2026-06-01T00:00:00Z --limit 2',
    { ...inPounds, 'GET /admin/balances/statement': statement },
  ],
  [
    'balance threshold --org 3 --mode test',
    { ...inPounds, 'GET /admin/balances/threshold': { ...threshold, thresholdMinor: null, isLow: false } },
  ],
  ...['10.00', 'none', '0'].map(
    (amount) =>
      [
        `balance threshold --org 3 --mode test --amount ${amount}`,
        {
          ...inPounds,
          'PUT /admin/balances/threshold': { ...threshold, thresholdMinor: '1000', isLow: true },
        },
      ] as const,
  ),
  ['ledger check', { 'GET /admin/ledger/check': { ok: true, transactions: 4, problems: [] } }],
  ['ledger check', { 'GET /admin/ledger/check': { ok: false, transactions: 4, problems: ['account 2'] } }],
  [
    'invoice list --org 3 --mode live --limit 1',
    {
      'GET /admin/invoices': {
        mode: 'LIVE',
        invoices: [{ ...invoice, number: 'CN-000004', document: 'credit-note', invoiceNumber: 'INV-000009' }],
        nextCursor: 'CN-000004',
      },
    },
  ],
  [
    'invoice show INV-000009',
    {
      'GET /admin/invoices/INV-000009': {
        ...invoice,
        organisationId: 3,
        organisationName: null,
        cause: 'offer 7 paid by card',
      },
    },
  ],
  [
    'card problems --limit 5',
    { 'GET /admin/card-problems': { reversals: [reversal], owed: [owed], payments: [] } },
  ],
  ['card settle re-1 --by platform --reason goodwill', { 'POST /admin/card-problems/settle': settled }],
  'card settle re-1 --by nobody --reason goodwill',
  'card settle re-1 --by platform',
  ['member check', { 'POST /admin/members/check': checked }],
  [
    'member check --repair yes',
    { 'POST /admin/members/check': { ...checked, ok: false, counted: 7, differing: 3 } },
  ],
  'rates refresh',
  'rates refresh --accept-jump 2026-11-20',
  'offer show 9',
  'offer disable 9 --reason terms',
  'offer enable 9',
  'placement neglected',
  [
    'moderation list --verdict refused --from 2026-06-01T00:00:00Z --org 3 --limit 1',
    { 'GET /admin/pictures': { pictures: [uploaded], nextCursor: 'next' } },
  ],
  [`moderation show ${contentHash}`, { [`GET /admin/pictures/${contentHash}`]: picture }],
  [
    `moderation show http://127.0.0.1/images/${contentHash}-0123.jpg?expires=1`,
    { [`GET /admin/pictures/${contentHash}`]: picture },
  ],
  ...['allow', 'block', 'withdraw'].map(
    (action) =>
      [`moderation ${action} ${contentHash} --reason stolen`, { 'POST /admin/rulings': picture }] as const,
  ),
  `moderation block ${contentHash}`,
  ['moderation rulings --limit 1 --cursor 9', { 'GET /admin/rulings': { rulings: [ruling] } }],
  ...[
    'catalogue list',
    'category set 2 --name Songs',
    'category set 2 --orgs all',
    'category set 1 --orgs none --active no',
    'interest set 1 --active yes',
    'interest set 8 --name Tea',
    'category set 9',
    'interest set 9 --active no',
    'category set 1 --orgs 0',
    'category set 1 --orgs x',
    'category set 1 --active maybe',
    'interest set 2147483648 --name x',
  ].map((words) => [words, ofCatalogue] as const),
  ['notification list', { 'GET /admin/notifications': { notifications: [mail] } }],
  [
    'notification list --state failed --org 1 --email ann@cafe.example --from 2026-06-01T00:00:00+01:00 --limit 5',
    { 'GET /admin/notifications': { notifications: [] } },
  ],
  ['notification show offer-paid/offer/17', { 'GET /admin/notifications/one': mailRecord }],
  ['notification resend offer-paid/offer/17', { 'POST /admin/notifications/resend': mailRecord }],
  ['notification bounces --limit 3', { 'GET /admin/bounces': { bounces: [bounce] } }],
  'notification forget ann@cafe.example',
  ['webhook list --org 3', { 'GET /admin/webhooks': { webhooks: [webhook] } }],
  ['webhook show we_1', { 'GET /admin/webhooks/one': webhookRecord }],
  ['webhook disable we_1', { 'POST /admin/webhooks/disable': webhookRecord }],
  ['webhook enable we_1', { 'POST /admin/webhooks/enable': webhookRecord }],
  ['events parked', { 'GET /admin/parked': { parked: [parked] } }],
  ['events replay --service billing --ids e1,e2', { 'POST /admin/parked/replay': { replayed: 2 } }],
  // Only when their ids, or all, are given.
  'events drop',
  ['events drop --ids all', { 'POST /admin/parked/drop': { dropped: 1 } }],
  [
    'audit list --person ann --org 3 --limit 5',
    {
      'GET /admin/audit': { entries: [] },
      'offers GET /admin/audit': { entries: [audited] },
      'pricing GET /admin/audit': { message: 'away' },
    },
  ],
  // What is wrong on the command line asks no service.
  'person invite --org 3',
  'org show three',
  'org show --org 3 --verbose',
  'org show 3 now',
  'offer show --org 3',
  'call list --org 3 --status 4',
  'terms publish --version 2026-11 --file no-such-file.md',
  'terms publish --version 2026-11',
  'key create --org 3 --mode both',
  'key limit 7',
  'key limit 7 --per-minute 0',
  'member import',
  'member import no-such-file.ndjson',
  'catalogue import no-such.json',
  'rates refresh --accept-jump yes',
  'notification list --state lost',
  'notification list --from yesterday',
  'notification resend',
  'token create --name Ann,bo',
  'org destroy --org 3',
  'organisation show',
  'nonsense',
];

export async function allCommandLines(): Promise<string> {
  const general = await show(['--help', {}]);
  const names = [...general.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)*) {2}/gm)].map(([, name]) => name);
  const all: string[] = [general];
  for (const name of names) all.push(await show([`${name} --help`, {}]));
  for (const one of commandLines) all.push(await show(typeof one === 'string' ? [one, {}] : one));
  return all.join('\n');
}

async function show([words, replies]: readonly [string, Replies]): Promise<string> {
  const asked: string[] = [];
  const call: Tools['call'] = async (owner, route, { query, json } = {}) => {
    const sent = query ?? json;
    asked.push(`> ${owner} ${route}${sent === undefined ? '' : ` ${JSON.stringify(sent)}`}`);
    const reply = replies[`${owner} ${route}`] ?? replies[route] ?? { done: true };
    if ('message' in reply) throw new Refused(`${owner}: ${String(reply.message)}`, 409);
    return reply;
  };
  // No command below downloads anything, or talks to the broker.
  const tools = { call } as Tools;
  const printed: string[] = [];
  const status = await runAdmin(words.split(' '), () => tools, {
    out: (line) => printed.push(line),
    err: (line) => printed.push(`stderr ${line}`),
  });
  return `${[`$ admin ${words}`, ...asked, ...printed, ...(status === 0 ? [] : [`exit ${status}`])].join('\n')}\n`;
}

const file = fileURLToPath(new URL('command-lines.txt', import.meta.url));
export const expectedCommandLines = () => readFileSync(file, 'utf8');

if (import.meta.main) writeFileSync(file, await allCommandLines());
