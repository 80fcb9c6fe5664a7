import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runAdmin } from './run.ts';
import { createTools } from './tools.ts';

type Received = { call: string; body: unknown; token: string; actor: string };

/** Answers as the test says and remembers what it was asked. */
let server: Server;
let address: string;
let received: Received[];
let replies: Record<string, object>;
const token = 'a token of more than thirty-two characters';

beforeAll(async () => {
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    const body = await text(req);
    const call = `${req.method} ${req.url}`;
    const { authorization = '', 'x-admin-actor': actor = '' } = req.headers;
    const isJson = req.headers['content-type'] === 'application/json' && body !== '';
    received.push({
      call,
      body: isJson ? JSON.parse(body) : body,
      token: authorization,
      actor: String(actor),
    });
    const reply = replies[call];
    res.statusCode = reply === undefined ? 404 : 'message' in reply ? 409 : 200;
    res.end(JSON.stringify(reply ?? { message: 'Not found' }));
  };
  server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  received = [];
  replies = {};
});

async function admin(words: string, at = address) {
  const lines: string[] = [];
  const settings = {
    GATEWAY_ADMIN_URL: at,
    OFFERS_ADMIN_URL: at,
    BILLING_ADMIN_URL: at,
    PRICING_ADMIN_URL: at,
    MODERATION_ADMIN_URL: at,
    NOTIFIER_ADMIN_URL: at,
    RABBITMQ_URL: 'amqp://127.0.0.1:1',
    ADMIN_TOKEN: token,
  };
  const status = await runAdmin(
    words
      .split(' ')
      .filter(Boolean)
      .map((word) => word.replaceAll('_', ' ')),
    () => createTools(settings, { actor: 'ann' }),
    { out: (line) => lines.push(line), err: (line) => lines.push(`stderr ${line}`) },
  );
  return { status, printed: lines.join('\n') };
}

async function adminJson(words: string, at = address) {
  const { status, printed } = await admin(`${words} --json`, at);
  return { status, result: JSON.parse(printed) as unknown };
}

const bo = { email: 'bo@tea.example' };

describe('a command', () => {
  it('calls the owning service with the credential and who did it, and prints the reply', async () => {
    const organisation = { id: 3, name: 'Tea House Ltd', adminEmail: 'ann@tea.example' };
    replies['POST /admin/organisations'] = organisation;
    const words =
      'org create --name Tea_House_Ltd --trading-name Tea --country GB --currency GBP --admin-email ann@tea.example';
    expect(await adminJson(words)).toEqual({ status: 0, result: organisation });
    expect(received).toEqual([
      {
        call: 'POST /admin/organisations',
        body: {
          name: 'Tea House Ltd',
          tradingName: 'Tea',
          country: 'GB',
          currency: 'GBP',
          adminEmail: 'ann@tea.example',
        },
        token: `Bearer ${token}`,
        actor: 'ann',
      },
    ]);
  });

  it.each([
    ['org disable --org 3', 'POST /admin/organisations/3/disable', ''],
    [
      'org quota --org 3 --mode test --per-org 2 --per-person 0',
      'POST /admin/organisations/3/quota',
      { mode: 'TEST', perOrganisation: 2, perPerson: 0 },
    ],
    ['terms publish --version 2026-11', 'POST /admin/terms', { version: '2026-11' }],
    ['terms accept --org 3', 'POST /admin/organisations/3/accept-terms', ''],
    [
      'person invite --org 3 --email bo@tea.example --role developer',
      'POST /admin/organisations/3/people',
      { email: 'bo@tea.example', role: 'developer' },
    ],
    [
      'person disable --org 3 --email bo@tea.example',
      'POST /admin/organisations/3/people/disable',
      { email: 'bo@tea.example' },
    ],
    [
      'key create --org 3 --mode live --expires 2027-01-01T00:00:00+01:00 --person bo@tea.example',
      'POST /admin/keys',
      {
        organisationId: 3,
        mode: 'LIVE',
        expiresAt: '2026-12-31T23:00:00.000Z',
        personEmail: 'bo@tea.example',
      },
    ],
    ['key create --org 3 --mode none', 'POST /admin/keys', { organisationId: 3, mode: null }],
    ['key roll --id 7', 'POST /admin/keys/7/roll', ''],
    ['key limit --id 7 --per-minute 600', 'POST /admin/keys/7/limit', { requestsPerMinute: 600 }],
    ['key limit --id 7 --per-minute none', 'POST /admin/keys/7/limit', { requestsPerMinute: null }],
    ['person reinvite --org 3 --email bo@tea.example', 'POST /admin/organisations/3/people/invitation', bo],
    [
      'person role --org 3 --email bo@tea.example --role admin',
      'POST /admin/organisations/3/people/role',
      { ...bo, role: 'admin' },
    ],
    ['session end --org 3 --email bo@tea.example', 'POST /admin/organisations/3/people/end-sessions', bo],
    ['call list --org 3', 'GET /admin/organisations/3/calls', ''],
    [
      'call list --org 3 --key 7 --status 4xx --from 2026-11-01T00:00:00+01:00 --to 2026-11-02T00:00:00Z',
      'GET /admin/organisations/3/calls?status=4xx&from=2026-11-01T00%3A00%3A00%2B01%3A00&to=2026-11-02T00%3A00%3A00Z&key_id=7',
      '',
    ],
    ['call-log list --org 3 --limit 5', 'GET /admin/organisations/3/calls?limit=5', ''],
    ['member generate --count 10 --seed 1', 'POST /admin/members/generate', { count: 10, seed: 1 }],
    ['rates refresh', 'POST /admin/rates/refresh', {}],
    ['rates refresh --accept-jump 2026-11-20', 'POST /admin/rates/refresh', { acceptJump: '2026-11-20' }],
    ['offer disable --id 9', 'POST /admin/offers/9/disable', ''],
    ['notification forget ann@cafe.example', 'POST /admin/bounces/forget', { address: 'ann@cafe.example' }],
  ])('%s asks for %s', async (words, call, body) => {
    replies[call] = { done: true };
    expect(await adminJson(words)).toEqual({ status: 0, result: { done: true } });
    expect(received).toMatchObject([{ call, body }]);
  });

  it.each([
    ['person invite --org 3', '--email is missing'],
    ['org show --org three', '--org must be an id'],
    ['org show --org 3 --verbose', "Unknown option '--verbose'"],
    ['org show --org 3 now', 'does not take "now"'],
    ['call list --org 3 --status 4', '--status must be a status such as 404'],
    ['terms publish --version 2026-11 --file no-such-file.md', 'cannot read no-such-file.md'],
    ['key create --org 3 --mode both', '--mode must be test, live or none'],
    ['key limit --id 7', '--per-minute is missing'],
    ['key limit --id 7 --per-minute 0', '--per-minute must be a number of requests from 1, or none'],
    ['member import', 'FILE is missing'],
    ['rates refresh --accept-jump yes', '--accept-jump must be a date such as 2026-11-20'],
    ['member import no-such-file.ndjson', 'cannot read no-such-file.ndjson'],
    ['notification list --state lost', '--state must be one of waiting, pending'],
    ['notification list --since yesterday', '--since must be an ISO 8601 date-time'],
    ['notification resend', 'ID is missing'],
    ['org destroy --org 3', 'there is no command "org destroy"'],
  ])('%s fails and says "%s"', async (words, problem) => {
    const { status, result } = await adminJson(words);
    expect(status).toBe(1);
    expect(result).toEqual({ error: expect.stringContaining(problem) });
    expect(await admin(words)).toEqual({ status: 1, printed: expect.stringContaining(`stderr error: `) });
    expect(received).toEqual([]);
  });

  it("fails with the service's own words", async () => {
    replies['POST /admin/keys/7/roll'] = { message: 'The key is not in force' };
    expect(await adminJson('key roll --id 7')).toEqual({
      status: 1,
      result: { error: 'gateway: The key is not in force (HTTP 409)' },
    });
  });

  it('fails, naming service and address, when nobody answers', async () => {
    const { status, result } = await adminJson('org list', 'http://127.0.0.1:1');
    expect(status).toBe(1);
    expect(result).toEqual({
      error: expect.stringContaining('gateway cannot be reached at http://127.0.0.1:1'),
    });
  });
});

describe('balances', () => {
  const organisation = (currency: string) => {
    const names = { name: 'Tea House Ltd', tradingName: 'Tea', adminEmail: 'ann@tea.example' };
    replies['GET /admin/organisations/3'] = { id: 3, ...names, country: 'GB', currency };
  };

  it("are shown in the organisation's currency", async () => {
    organisation('EUR');
    const book = { organisationId: 3, mode: 'TEST', currency: 'EUR' };
    replies['GET /admin/balances?organisationId=3&mode=TEST&currency=EUR'] = { ...book, balanceMinor: '-5' };
    expect(await adminJson('balance show --org 3 --mode test')).toEqual({
      status: 0,
      result: { org: 3, mode: 'TEST', currency: 'EUR', balance: '-0.05' },
    });
  });

  it('are topped up by the exact amount, under a new reference each time', async () => {
    organisation('GBP');
    const book = { organisationId: 3, mode: 'LIVE', currency: 'GBP' };
    replies['POST /admin/balances/top-up'] = { ...book, balanceMinor: '12345678901234567' };
    const words = 'balance top-up --org 3 --mode live --amount 90071992547409.93';
    expect(await adminJson(words)).toEqual({
      status: 0,
      result: { org: 3, mode: 'LIVE', currency: 'GBP', balance: '123456789012345.67' },
    });
    await adminJson(words);
    const [first, second] = received.filter(({ call }) => call.startsWith('POST')).map(({ body }) => body);
    expect(first).toEqual({
      organisationId: 3,
      mode: 'LIVE',
      currency: 'GBP',
      amountMinor: '9007199254740993',
      reference: expect.any(String),
    });
    expect(second).not.toEqual(first);
  });

  it.each([
    ['GBP', '1.234'],
    ['GBP', '0'],
    ['GBP', '1,00'],
    ['JPY', '1.5'],
  ])('are not topped up in %s by %s', async (currency, amount) => {
    organisation(currency);
    const { status, result } = await adminJson(`balance top-up --org 3 --mode test --amount ${amount}`);
    expect(status).toBe(1);
    expect(result).toEqual({ error: expect.stringContaining('--amount must be above zero') });
    expect(received.filter(({ call }) => call.startsWith('POST'))).toEqual([]);
  });

  it('have a statement in amounts of their currency, page by page', async () => {
    organisation('GBP');
    const line = { bookedAt: '2026-06-01T12:00:00.000Z', offerId: 7, title: 'Two for one' };
    const minor = { openingBalanceMinor: '5000', closingBalanceMinor: '3800' };
    const query = 'organisationId=3&mode=LIVE&currency=GBP&from=2026-06-01T00%3A00%3A00Z&limit=2';
    replies[`GET /admin/balances/statement?${query}`] = {
      mode: 'LIVE',
      currency: 'GBP',
      ...minor,
      entries: [
        {
          ...line,
          kind: 'offer-card-payment',
          cause: 'offer 7 paid by card',
          amountMinor: '0',
          balanceMinor: '3800',
          card: { netMinor: '1000', vatMinor: '200' },
        },
        {
          ...line,
          kind: 'offer-charge',
          cause: 'offer 7 charged',
          amountMinor: '-1200',
          balanceMinor: '3800',
          card: null,
        },
      ],
      nextCursor: 'c-2',
    };
    const words = 'balance statement --org 3 --mode live --from 2026-06-01T00:00:00Z --limit 2';
    expect(await adminJson(words)).toEqual({
      status: 0,
      result: {
        entries: [
          {
            ...line,
            kind: 'offer-card-payment',
            cause: 'offer 7 paid by card',
            amount: '0.00',
            balance: '38.00',
            cardNet: '10.00',
            cardVat: '2.00',
          },
          {
            ...line,
            kind: 'offer-charge',
            cause: 'offer 7 charged',
            amount: '-12.00',
            balance: '38.00',
            cardNet: null,
            cardVat: null,
          },
        ],
        org: 3,
        mode: 'LIVE',
        currency: 'GBP',
        openingBalance: '50.00',
        closingBalance: '38.00',
        nextCursor: 'c-2',
      },
    });
  });

  it('have a threshold that is shown, set and taken away', async () => {
    organisation('GBP');
    const standing = { mode: 'TEST', currency: 'GBP', balanceMinor: '900' };
    replies['GET /admin/balances/threshold?organisationId=3&mode=TEST&currency=GBP'] = {
      ...standing,
      thresholdMinor: null,
      isLow: false,
    };
    replies['PUT /admin/balances/threshold'] = { ...standing, thresholdMinor: '1000', isLow: true };
    const book = { org: 3, mode: 'TEST', currency: 'GBP', balance: '9.00' };
    const words = 'balance threshold --org 3 --mode test';
    expect(await adminJson(words)).toEqual({ status: 0, result: { ...book, threshold: null, isLow: false } });
    expect(await adminJson(`${words} --amount 10.00`)).toEqual({
      status: 0,
      result: { ...book, threshold: '10.00', isLow: true },
    });
    await adminJson(`${words} --amount none`);
    const orders = received.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body);
    const of = { organisationId: 3, mode: 'TEST', currency: 'GBP' };
    expect(orders).toEqual([
      { ...of, thresholdMinor: '1000' },
      { ...of, thresholdMinor: null },
    ]);
    expect(await adminJson(`${words} --amount 0`)).toMatchObject({ status: 1 });
  });

  it('show what the card provider took back, in the words of people', async () => {
    const reversal = {
      id: 're_1',
      kind: 'refund',
      mode: 'LIVE',
      currency: 'GBP',
      status: 'succeeded',
      reason: null,
      heardAt: '2026-06-01T12:00:00.000Z',
      taken: true,
      returned: false,
      organisationId: 3,
      offerId: 7,
      topUpId: null,
      booked: true,
      settlement: null,
    };
    replies['GET /admin/card-problems?limit=5'] = {
      reversals: [{ ...reversal, amountMinor: '1250' }],
      payments: [],
    };
    expect(await adminJson('card problems --limit 5')).toEqual({
      status: 0,
      result: { reversals: [{ ...reversal, amount: '12.50' }], payments: [] },
    });
  });

  it('settle a refund by a decision of a person, with a reason', async () => {
    const decided = {
      reason: 'goodwill',
      decidedBy: 'ann',
      settledAt: '2026-06-01T12:00:00.000Z',
      givenBack: false,
    };
    const of = { id: 're-1', kind: 'refund', mode: 'LIVE', currency: 'GBP', borneBy: 'platform', ...decided };
    replies['POST /admin/card-problems/settle'] = { ...of, amountMinor: '1250' };
    expect(await adminJson('card settle re-1 --by platform --reason goodwill')).toEqual({
      status: 0,
      result: { ...of, amount: '12.50' },
    });
    expect(received[0]?.body).toEqual({ id: 're-1', borneBy: 'platform', reason: 'goodwill' });
    expect(await adminJson('card settle re-1 --by nobody --reason goodwill')).toMatchObject({ status: 1 });
    expect(await adminJson('card settle re-1 --by platform')).toMatchObject({ status: 1 });
  });

  it('that add up are counted, and nothing else is said', async () => {
    replies['GET /admin/ledger/check'] = { ok: true, transactions: 4, problems: [] };
    expect(await adminJson('ledger check')).toEqual({ status: 0, result: { ok: true, transactions: 4 } });
  });

  it('that do not add up make the check fail, with its findings printed', async () => {
    const findings = { ok: false, transactions: 4, problems: ['account 2'] };
    replies['GET /admin/ledger/check'] = findings;
    expect(await adminJson('ledger check')).toEqual({ status: 1, result: findings });
  });
});

describe('invoices', () => {
  const at = '2026-06-01T00:00:00.000Z';
  const facts = {
    number: 'INV-000009',
    kind: 'offer',
    offerId: 7,
    title: 'Tea',
    currency: 'GBP',
    paidAt: at,
    issuedAt: at,
  };
  const invoice = { ...facts, netMinor: '1000', vatMinor: '200', grossMinor: '1200' };
  const shown = { ...facts, net: '10.00', vat: '2.00', gross: '12.00' };

  it('of an organisation are listed page by page', async () => {
    replies['GET /admin/invoices?organisationId=3&mode=LIVE&limit=1'] = {
      mode: 'LIVE',
      invoices: [invoice],
      nextCursor: 'INV-000009',
    };
    expect(await adminJson('invoice list --org 3 --mode live --limit 1')).toEqual({
      status: 0,
      result: { invoices: [shown], org: 3, mode: 'LIVE', nextCursor: 'INV-000009' },
    });
  });

  it('are shown by their number, with whose they are', async () => {
    replies['GET /admin/invoices/INV-000009'] = {
      ...invoice,
      organisationId: 3,
      organisationName: null,
      cause: 'offer 7 paid by card',
    };
    expect(await adminJson('invoice show INV-000009')).toEqual({
      status: 0,
      result: { ...shown, org: 3, organisationName: null, cause: 'offer 7 paid by card' },
    });
  });
});

describe('member check', () => {
  const checked = {
    ok: true,
    members: 9,
    indexed: 9,
    missing: 0,
    surplus: 0,
    different: 0,
    repaired: 0,
    complete: true,
  };

  it('asks the service to compare, and prints the numbers', async () => {
    replies['POST /admin/members/check'] = checked;
    expect(await adminJson('member check')).toEqual({ status: 0, result: checked });
    expect(received).toMatchObject([{ body: {} }]);
  });

  it('fails when something differs, and asks for a repair only when told to', async () => {
    const differing = { ...checked, ok: false, missing: 2 };
    replies['POST /admin/members/check'] = differing;
    expect(await adminJson('member check --repair yes')).toEqual({ status: 1, result: differing });
    expect(received).toMatchObject([{ body: { repair: true } }]);
  });
});

describe('member import', () => {
  it('streams the file as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'members-'));
    const file = join(folder, 'members.ndjson');
    const lines = Array.from({ length: 5_000 }, (_, index) => JSON.stringify({ member_id: index })).join(
      '\n',
    );
    await writeFile(file, lines);
    replies['POST /admin/members/import'] = { imported: 5_000 };
    expect(await adminJson(`member import ${file}`)).toEqual({ status: 0, result: { imported: 5_000 } });
    expect(received[0]?.body).toBe(lines);
    await rm(folder, { recursive: true });
  });
});

describe('terms publish', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'terms-'));
  });
  afterAll(async () => rm(folder, { recursive: true }));
  const publish = async (words: string) => {
    const file = join(folder, 'terms.md');
    await writeFile(file, words);
    replies['POST /admin/terms'] = { version: '2026-11' };
    return adminJson(`terms publish --version 2026-11 --file ${file}`);
  };

  it('sends the text of the file as it is', async () => {
    const words = '# Terms\n\nPay what you book. Café Ω\n';
    expect(await publish(words)).toMatchObject({ status: 0 });
    expect(received[0]?.body).toEqual({ version: '2026-11', text: words });
  });

  it.each([
    ['empty', ' \n', 'must not be empty'],
    ['too long', 'x'.repeat(100_001), 'must have at most 100,000 characters'],
  ])('refuses a file that is %s', async (_what, words, problem) => {
    expect(await publish(words)).toEqual({ status: 1, result: { error: expect.stringContaining(problem) } });
    expect(received).toEqual([]);
  });
});

describe('events', () => {
  it('are listed over all services, and replayed in the one that is named', async () => {
    const parked = {
      id: 'e1',
      type: null,
      subject: null,
      reason: 'broken',
      attempts: 5,
      parkedAt: null,
      body: '{}',
    };
    replies['GET /admin/parked?limit=1000'] = { parked: [parked] };
    const services = ['offers', 'billing', 'pricing', 'notifier'];
    expect(await adminJson('events parked')).toEqual({
      status: 0,
      result: { parked: services.map((service) => Object.assign({ service }, parked)) },
    });
    replies['POST /admin/parked/replay'] = { replayed: 2 };
    expect(await adminJson('events replay --service billing --ids e1,e2')).toEqual({
      status: 0,
      result: { replayed: 2 },
    });
    expect(received.at(-1)?.body).toEqual({ ids: ['e1', 'e2'] });
  });

  it('are dropped only when they are named, be it as all', async () => {
    replies['POST /admin/parked/drop'] = { dropped: 1 };
    expect(await adminJson('events drop')).toMatchObject({ status: 1 });
    expect(await adminJson('events drop --ids all')).toEqual({ status: 0, result: { dropped: 4 } });
  });
});

describe('person list', () => {
  it('shows everybody, or the one who is named', async () => {
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
      'key create --org ID --mode test|live|none [--expires ISO] [--person EMAIL] [--name TEXT] [--per-minute N|none]',
    );
  });
});

describe('output for people', () => {
  it('shows texts of others as they are written, and lets none of them steer the terminal', async () => {
    const steering = 'a\u001b[2J\u009b31m\r\nb\u202e';
    replies['GET /admin/organisations'] = { organisations: [{ name: steering }] };
    replies['GET /admin/organisations/3'] = { name: steering };
    for (const words of ['org list', 'org show --org 3']) {
      const { printed } = await admin(words);
      expect(printed).toContain('a\\u001b[2J\\u009b31m\\u000d\\u000ab\\u202e');
    }
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
    expect((await admin('org show --org 3')).printed).toBe('id: 3\npeople: [{"id":1}]');
  });
});
