import { describe, expect, it } from '@jest/globals';
import { adminCredential } from '@offer-ads/platform/admin/tokens';
import { adminUnderTest, runJson, settingsAt, token } from '../test/admin-under-test.ts';
import { createTools } from './tools.ts';

const { admin, adminJson, received, replies } = adminUnderTest();

const quota = { perPerson: 1, perOrganisation: 1 };
const organisation = (id: number, name: string) => ({
  id,
  name,
  tradingName: 'Tea',
  country: 'GB',
  currency: 'GBP',
  adminEmail: null,
  enabled: true,
  approval: null,
  withdrawal: null,
  termsAccepted: false,
  quotas: { TEST: quota, LIVE: quota },
});
const bo = { email: 'bo@tea.example' };
const mail = {
  id: 'offer-paid/offer/17 to ann@cafe.example',
  state: 'failed',
  event: 'OfferPaymentApplied',
  organisationId: 1,
  recipient: 'ann@cafe.example',
  subject: 'Offer paid',
  createdAt: '2026-06-01T12:00:00.000Z',
  attempts: 1,
  nextAttemptAt: null,
  settledAt: '2026-06-01T12:00:01.000Z',
  problem: '550 5.7.1 Blocked',
};
const mailRecord = {
  ...mail,
  messageId: '<0123@ads.example>',
  expiresAt: null,
  history: [{ at: mail.settledAt, state: 'failed', problem: mail.problem, reply: null, uncertain: false }],
  resends: [],
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
  createdAt: '2026-06-01T12:00:00.000Z',
};
const webhookRecord = {
  messages: [],
  ...webhook,
  changes: [{ at: '2026-06-01T12:00:00.000Z', by: 'person 7', what: 'created' }],
};
const bounce = {
  address: 'ann@cafe.example',
  refusals: 1,
  lastRefusedAt: mail.createdAt,
  heededUntil: mail.settledAt,
  problem: '550 5.1.1',
};

describe('a command', () => {
  it('calls the service that owns the data with the credential for it, without a name, and prints the reply', async () => {
    const json = { name: 'Tea', tradingName: 'Tea House', country: 'GB', currency: 'GBP' };
    replies['POST /admin/keys'] = json;
    expect(await adminJson('key create --org 3 --mode none')).toEqual({ status: 0, result: json });
    expect(received).toEqual([
      {
        call: 'POST /admin/keys',
        body: { organisationId: 3, mode: null, rights: {} },
        token: `Bearer ${adminCredential(token, 'gateway')}`,
        actor: '',
        subject: '',
        roles: '',
        via: '',
        requestId: '',
        owner: 'gateway',
      },
    ]);
  });

  it.each<readonly [words: string, to: string, body?: object | '', reply?: object]>([
    [
      'org create --name Tea --trading-name House --country GB --currency GBP --admin-email bo@tea.example',
      'gateway POST /admin/organisations',
      { name: 'Tea', tradingName: 'House', country: 'GB', currency: 'GBP', adminEmail: bo.email },
    ],
    ['org disable --org 3', 'gateway POST /admin/organisations/3/disable'],
    ['org approve --org 7', 'gateway POST /admin/organisations/7/approve'],
    [
      'org withdraw-approval --org 7 --reason in-no-register',
      'gateway POST /admin/organisations/7/withdraw-approval',
      { reason: 'in-no-register' },
    ],
    [
      'org quota --org 3 --mode test --per-org 2 --per-person 0',
      'gateway POST /admin/organisations/3/quota',
      { mode: 'TEST', perOrganisation: 2, perPerson: 0 },
    ],
    [
      'org spending 3 --role marketer --spend-per-day 6000 --spend-per-month none',
      'gateway POST /admin/organisations/3/spending-limits',
      { role: 'marketer', spendingPerDayMinor: '6000', spendingPerMonthMinor: null },
    ],
    ['note list 3', 'gateway GET /admin/organisations/3/notes'],
    ['note add 3 --text pays-late', 'gateway POST /admin/organisations/3/notes/add', { text: 'pays-late' }],
    ['note delete 3 --note 8', 'gateway POST /admin/organisations/3/notes/8/delete'],
    ['terms accept --org 3', 'gateway POST /admin/organisations/3/accept-terms'],
    [
      'person invite --org 3 --email bo@tea.example --role developer',
      'gateway POST /admin/organisations/3/people',
      { ...bo, role: 'developer' },
    ],
    [
      'person disable --org 3 --email bo@tea.example',
      'gateway POST /admin/organisations/3/people/disable',
      bo,
    ],
    [
      'person reinvite --org 3 --email bo@tea.example',
      'gateway POST /admin/organisations/3/people/invitation',
      bo,
    ],
    [
      'person role --org 3 --email bo@tea.example --role admin',
      'gateway POST /admin/organisations/3/people/role',
      { ...bo, role: 'admin' },
    ],
    [
      'session end --org 3 --email bo@tea.example',
      'gateway POST /admin/organisations/3/people/end-sessions',
      bo,
    ],
    [
      'key create --org 3 --mode live --expires 2027-01-01T00:00:00+01:00 --email bo@tea.example',
      'gateway POST /admin/keys',
      { organisationId: 3, mode: 'LIVE', expiresAt: '2026-12-31T23:00:00.000Z', personEmail: bo.email },
    ],
    ['key roll 7', 'gateway POST /admin/keys/7/roll'],
    ['key limit 7 --per-minute 600', 'gateway POST /admin/keys/7/limit', { requestsPerMinute: 600 }],
    ['key limit 7 --per-minute none', 'gateway POST /admin/keys/7/limit', { requestsPerMinute: null }],
    [
      'key rights 7 --access no-spending --addresses 192.0.2.7,2001:db8::/32 --spend-per-day 6000 --spend-per-month none',
      'gateway POST /admin/keys/7/rights',
      {
        access: 'no-spending',
        addresses: ['192.0.2.7', '2001:db8::/32'],
        spendingPerDayMinor: '6000',
        spendingPerMonthMinor: null,
      },
    ],
    ['key rights 7 --addresses any', 'gateway POST /admin/keys/7/rights', { addresses: [] }],
    ['call list --org 3', 'gateway GET /admin/organisations/3/calls'],
    [
      'call list --org 3 --key 7 --status 4xx --from 2026-11-01T00:00:00+01:00 --to 2026-11-02T00:00:00Z',
      'gateway GET /admin/organisations/3/calls?status=4xx&from=2026-11-01T00%3A00%3A00%2B01%3A00&to=2026-11-02T00%3A00%3A00Z&key_id=7',
    ],
    ['rates refresh', 'pricing POST /admin/rates/refresh', {}],
    [
      'rates refresh --accept-jump 2026-11-20',
      'pricing POST /admin/rates/refresh',
      { acceptJump: '2026-11-20' },
    ],
    ['offer disable 9 --reason terms', 'offers POST /admin/offers/9/disable', { reason: 'terms' }],
    ['offer enable 9', 'offers POST /admin/offers/9/enable'],
    ['notification list', 'notifier GET /admin/notifications', '', { notifications: [mail] }],
    [
      'notification list --state failed --org 1 --email ann@cafe.example --from 2026-06-01T00:00:00+01:00 --limit 5',
      'notifier GET /admin/notifications?state=failed&organisationId=1&recipient=ann%40cafe.example&since=2026-06-01T00%3A00%3A00%2B01%3A00&limit=5',
      '',
      { notifications: [] },
    ],
    [
      'notification show offer-paid/offer/17',
      'notifier GET /admin/notifications/one?id=offer-paid%2Foffer%2F17',
      '',
      mailRecord,
    ],
    [
      'notification resend offer-paid/offer/17',
      'notifier POST /admin/notifications/resend',
      { id: 'offer-paid/offer/17' },
      mailRecord,
    ],
    ['notification bounces --limit 3', 'notifier GET /admin/bounces?limit=3', '', { bounces: [bounce] }],
    [
      'notification forget ann@cafe.example',
      'notifier POST /admin/bounces/forget',
      { address: 'ann@cafe.example' },
    ],
    ['webhook list --org 3', 'notifier GET /admin/webhooks?organisationId=3', '', { webhooks: [webhook] }],
    ['webhook show we_1', 'notifier GET /admin/webhooks/one?id=we_1', '', webhookRecord],
    ['webhook disable we_1', 'notifier POST /admin/webhooks/disable', { id: 'we_1' }, webhookRecord],
    ['webhook enable we_1', 'notifier POST /admin/webhooks/enable', { id: 'we_1' }, webhookRecord],
  ])('%s asks %s', async (...[words, to, body = '', reply = { done: true }]) => {
    const [owner, ...call] = to.split(' ');
    replies[call.join(' ')] = reply;
    expect(await adminJson(words)).toEqual({ status: 0, result: reply });
    expect(received).toMatchObject([{ owner, call: call.join(' '), body }]);
  });

  it('shows how a command is used after wrong options', async () => {
    const { printed } = await admin('offer show --org 3');
    expect(printed).toContain("stderr error: offer show: Unknown option '--org'");
    expect(printed).toContain('stderr usage: offer show ID');
  });

  it.each([
    ['person invite --org 3', 'person invite: --email is missing'],
    ['org show three', 'ID must be an id'],
    ['org show --org 3 --verbose', "Unknown option '--verbose'"],
    ['org show 3 now', 'does not take "now"'],
    ['call list --org 3 --status 4', '--status must be a status such as 404'],
    ['terms publish --version 2026-11 --file no-such-file.md', 'cannot read no-such-file.md'],
    ['terms publish --version 2026-11', '--file is missing'],
    ['key create --org 3 --mode both', '--mode must be test, live or none'],
    ['key limit 7', '--per-minute is missing'],
    ['key limit 7 --per-minute 0', '--per-minute must be a number of requests from 1, or none'],
    ['member import', 'FILE.ndjson is missing'],
    ['catalogue import no-such.json', 'catalogue import: cannot read no-such.json'],
    ['rates refresh --accept-jump yes', '--accept-jump must be a date such as 2026-11-20'],
    ['member import no-such-file.ndjson', 'cannot read no-such-file.ndjson'],
    ['notification list --state lost', '--state must be one of waiting, pending'],
    ['notification list --from yesterday', '--from must be an ISO 8601 date-time'],
    ['notification resend', 'ID is missing'],
    ['org destroy --org 3', 'there is no command "org destroy"; there are: org create, org list, org show'],
    ['organisation show', 'there is no command "organisation show"; there are: org show, '],
    ['nonsense', 'there is no command "nonsense"; --help lists all'],
  ])('%s fails with "%s"', async (words, problem) => {
    const { status, result } = await adminJson(words);
    expect(status).toBe(1);
    expect(result).toEqual({ error: expect.stringContaining(problem) });
    expect(await admin(words)).toEqual({ status: 1, printed: expect.stringContaining(`stderr error: `) });
    expect(received).toEqual([]);
  });

  it('fails with the words of the service', async () => {
    replies['POST /admin/keys/7/roll'] = { message: 'The key is not in force' };
    expect(await adminJson('key roll 7')).toEqual({
      status: 1,
      result: { error: 'gateway: The key is not in force (HTTP 409)' },
    });
  });

  it('fails with the name and address of a service that cannot be reached', async () => {
    const nowhere = 'http://127.0.0.1:1';
    expect(await runJson('org list', () => createTools(settingsAt(nowhere)))).toEqual({
      status: 1,
      result: { error: expect.stringContaining(`gateway cannot be reached at ${nowhere}`) },
    });
  });
});

describe('person list', () => {
  it('shows all people, or the one with the address given', async () => {
    const people = [
      { id: 1, email: 'ann@tea.example', role: 'admin', enabled: true },
      { id: 2, email: 'bo@tea.example', role: 'developer', enabled: false },
    ];
    replies['GET /admin/organisations/3/people'] = { people };
    expect(await adminJson('person list --org 3')).toEqual({ status: 0, result: { people } });
    expect(await adminJson('person list --org 3 --email bo@tea.example')).toEqual({
      status: 0,
      result: { people: [people[1]] },
    });
  });
});

describe('help', () => {
  it('lists the commands without any settings', async () => {
    const { status, printed } = await admin('--help');
    expect(status).toBe(0);
    expect(printed).toContain('balance top-up');
    expect((await admin('')).printed).toBe(printed);
  });

  it('shows which options a command needs and which it may have', async () => {
    const { printed } = await admin('key create --help');
    expect(printed).toContain(
      'key create --org ID --mode test|live|none [--expires ISO] [--email EMAIL] [--name TEXT] [--per-minute N|none]',
    );
  });

  it('says for every command what each of its options may be', async () => {
    const { printed } = await admin('--help');
    const names = printed.split('\n').flatMap((line) => /^  ([a-z-]+(?: [a-z-]+)*)  /.exec(line)?.[1] ?? []);
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) {
      const [usage] = (await admin(`${name} --help`)).printed.split('\n');
      expect(usage).not.toMatch(/--[a-z-]+ *(\]|\[|$)/);
    }
  });
});

describe('options', () => {
  it('have one name for one thing in all commands', async () => {
    const { printed } = await admin('--help');
    const names = printed.split('\n').flatMap((line) => /^  ([a-z-]+(?: [a-z-]+)*)  /.exec(line)?.[1] ?? []);
    const helps = await Promise.all(names.map(async (name) => (await admin(`${name} --help`)).printed));
    const options = [...helps.join('\n').matchAll(/--([a-z-]+) ([^\s\]]+)/g)];
    const called = (value: string) => new Set(options.filter((o) => o[2] === value).map((o) => o[1]));
    expect(called('ISO')).toEqual(new Set(['expires', 'from', 'to']));
    expect(called('EMAIL')).toEqual(new Set(['admin-email', 'email']));
    expect(called('ID')).toEqual(new Set(['key', 'note', 'offer', 'org']));
    expect(options.map(([, name]) => name)).not.toContain('before');
  });
});

describe('output for people', () => {
  it('shows control characters in texts of others as codes', async () => {
    const steering = 'a\u001b[2J\u009b31m\r\nb\u202e';
    replies['GET /admin/organisations?limit=1000'] = {
      organisations: [organisation(3, steering)],
      nextBefore: null,
    };
    replies['GET /admin/organisations/3'] = { name: steering };
    for (const words of ['org list', 'org show --org 3']) {
      const { printed } = await admin(words);
      expect(printed).toContain('a\\u001b[2J\\u009b31m\\u000d\\u000ab\\u202e');
    }
  });

  it('lists the organisations of all pages, oldest first', async () => {
    const page = (ids: number[], nextBefore: number | null) => ({
      organisations: ids.map((id) => organisation(id, `No ${id}`)),
      nextBefore,
    });
    replies['GET /admin/organisations?limit=1000'] = page([9, 7], 7);
    replies['GET /admin/organisations?limit=1000&before=7'] = page([2], null);
    expect((await adminJson('org list')).result).toMatchObject({
      organisations: [{ id: 2 }, { id: 7 }, { id: 9 }],
    });
    await admin('org list --waiting yes');
    expect(received.at(-1)?.call).toBe('GET /admin/organisations?limit=1000&approved=false&enabled=true');
  });

  it('is a table for lists and a line per field otherwise', async () => {
    replies['GET /admin/organisations/3/keys'] = {
      keys: [
        { id: 1, mode: 'TEST', expiresAt: null },
        { id: 12, mode: 'LIVE', expiresAt: null },
      ],
    };
    expect((await admin('key list --org 3')).printed).toBe('id  mode  expiresAt\n1   TEST  -\n12  LIVE  -');
    replies['GET /admin/organisations/3/calls'] = { calls: [{ keyId: 1 }], nextCursor: 'abc' };
    expect((await admin('call list --org 3')).printed).toBe('keyId\n1\nnextCursor: abc');
    replies['GET /admin/organisations/3/calls'] = { calls: [], nextCursor: null };
    expect((await admin('call list --org 3')).printed).toBe('(none)');
    replies['GET /admin/organisations/3'] = { id: 3, people: [{ id: 1 }] };
    const clock = { now: '2026-11-22T10:00:00.000Z', aheadSeconds: 86_400 };
    replies['GET /admin/test-clocks/3'] = clock;
    expect((await admin('org show --org 3')).printed).toBe(
      `id: 3\npeople: [{"id":1}]\ntestClock: ${JSON.stringify(clock)}`,
    );
  });

  it('shows an organisation while offers cannot tell its test clock', async () => {
    replies['GET /admin/organisations/3'] = { id: 3 };
    replies['GET /admin/test-clocks/3'] = { message: 'Not now' };
    expect((await admin('org show --org 3')).printed).toBe('id: 3\ntestClock: offers: Not now (HTTP 409)');
  });
});
