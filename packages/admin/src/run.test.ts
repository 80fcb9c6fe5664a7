import { describe, expect, it } from '@jest/globals';
import { adminCredential } from '@offer-ads/platform/admin/tokens';
import { adminUnderTest, runJson, settingsAt, token } from '../test/admin-under-test.ts';
import { allCommandLines, expectedCommandLines } from '../test/command-lines.ts';
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
/** A change that is meant is written to the file by `npx node packages/admin/test/command-lines.ts`. */
it('each command has the help, asks the services and prints as test/command-lines.txt says', async () => {
  expect(await allCommandLines()).toBe(expectedCommandLines());
});

describe('a command', () => {
  it('calls the service that owns the data with the credential for it, without a name, and prints the reply', async () => {
    const json = { name: 'Tea', tradingName: 'Tea House', country: 'GB', currency: 'GBP' };
    replies['POST /admin/keys'] = json;
    expect(await adminJson('key create --org 3 --mode none')).toEqual({ status: 0, result: json });
    expect(received).toEqual([
      {
        call: 'POST /admin/keys',
        body: { organisationId: 3, mode: null },
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

  it('sends what is looked for as the query of the call', async () => {
    replies['GET /admin/notifications?recipient=ann%40cafe.example&since=2026-06-01T00%3A00%3A00%2B01%3A00'] =
      {
        notifications: [],
      };
    const words = 'notification list --email ann@cafe.example --from 2026-06-01T00:00:00+01:00';
    expect(await adminJson(words)).toEqual({ status: 0, result: { notifications: [] } });
    expect(received).toMatchObject([{ owner: 'notifier', body: '' }]);
  });

  it('that is wrong asks no service', async () => {
    expect(await adminJson('key limit 7')).toEqual({
      status: 1,
      result: { error: 'key limit: --per-minute is missing' },
    });
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

describe('help', () => {
  it('lists the commands without any settings', async () => {
    const { status, printed } = await admin('--help');
    expect(status).toBe(0);
    expect(printed).toContain('balance top-up');
    expect((await admin('')).printed).toBe(printed);
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
    expect(called('ID')).toEqual(new Set(['key', 'offer', 'org']));
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
});
