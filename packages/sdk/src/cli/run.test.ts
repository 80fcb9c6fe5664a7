import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allCommandLines, apiKey, expectedCommandLines, now } from '../../test/command-lines.ts';
import { fakeClock, type Scripted, scriptedFetch } from '../../test/fake-service.ts';
import { type StandIn, startStandIn } from '../../test/stand-in.ts';
import { createClientAt } from '../client.ts';
import { commands } from './commands.ts';
import { run } from './run.ts';

const image = fileURLToPath(new URL('../../../../docs/test-pictures/always-allowed.png', import.meta.url));

let service: StandIn;
let folder: string;
beforeAll(async () => {
  service = await startStandIn();
  folder = mkdtempSync(join(tmpdir(), 'offer-ads-'));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The arguments of a command line without quotes. */
const words = (line: string) => line.split(' ').filter(Boolean);

/** @param env instead of a key and the address of the stand-in */
async function offerAds(argv: readonly string[], env?: Record<string, string>) {
  const said = { out: '', err: '' };
  const code = await run(argv, {
    env: env ?? { OFFER_ADS_API_KEY: apiKey, OFFER_ADS_BASE_URL: service.url },
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
    now: () => now,
  });
  return { code, ...said };
}

/** With replies from a script, in virtual time. */
async function offerAdsWith(argv: readonly string[], script: readonly Scripted[]) {
  const clock = fakeClock();
  const { fetch, seen } = scriptedFetch(clock, script);
  const said = { out: '', err: '' };
  const running = run(argv, {
    env: { OFFER_ADS_API_KEY: apiKey, OFFER_ADS_BASE_URL: 'https://ads.example.com' },
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
    now: () => now,
    client: (options) => createClientAt(clock, { ...options, fetch }),
  });
  const code = await clock.during(running);
  return { code, seen, ...said };
}

const creation = [
  ...words('offers create --category 1 --title Two-for-one --description x --url https://example.com/'),
  '--image',
  image,
  ...words('--at=51.5,-0.1 --radius 10 --end +48h --pay card --interest 1 --interest 2 --gender Female'),
];

describe('offer-ads', () => {
  /** A change that is meant is written to the file by `npx node packages/sdk/test/command-lines.ts`. */
  it('has the help, asks the service and prints as test/command-lines.txt says', async () => {
    const all = await allCommandLines();
    expect(all).toBe(expectedCommandLines());
    for (const [name, { example }] of Object.entries(commands)) {
      expect(all).toMatch(new RegExp(`^\\$ offer-ads ${name}( (?!--help)|$)`, 'm'));
      expect(example).toMatch(new RegExp(`^offer-ads ${name}( |$)`));
    }
  });

  it.each(Object.values(commands).map(({ example }) => example))(
    '%s --json prints an object',
    async (example) => {
      const there = example
        .replace(/we_\w{10,}/, 'we_1')
        .replace(/msg_\w+/, 'msg_1')
        .replace(/\w+\.png/, image)
        .replaceAll(/"([^"]*)"/g, (_, text: string) => text.replaceAll(' ', '-'));
      const { code, out } = await offerAds([...words(there).slice(1), '--json']);
      expect([code, JSON.parse(out)]).toEqual([0, expect.any(Object)]);
    },
  );

  it('shows why messages of a webhook failed, over pages, and where to go on with the rest', async () => {
    const failed = (id: string, attempt: { http_status: number | null; problem: string | null }) => ({
      message_id: id,
      event_type: 'offer.paid',
      status: 'failed',
      creation_datetime: '2035-06-01T11:00:00.000Z',
      attempts: [{ http_status: 500, problem: null }, attempt],
    });
    const page = (data: object[], next: string | null) => ({
      status: 200,
      body: { data, pagination: { has_more: next !== null, next_cursor: next } },
    });
    const { out, seen } = await offerAdsWith(words('webhooks messages we_1 --status failed --all'), [
      page([failed('msg_2', { http_status: 404, problem: null })], 'second'),
      page([failed('msg_1', { http_status: null, problem: 'no answer within 10 seconds' })], null),
    ]);
    expect(out).toMatch(/msg_2 .* 2 +404\nmsg_1 .* 2 +no answer within 10 seconds\n$/);
    expect(seen.map(({ url }) => new URL(url).search)).toEqual([
      '?limit=100&status=failed',
      '?limit=100&cursor=second&status=failed',
    ]);
    const resent = { resent: 1_000, next_since: '2035-06-01T11:30:00.000Z' };
    const rest = await offerAdsWith(words('webhooks resend-since we_1 7d'), [{ status: 200, body: resent }]);
    expect(rest.out).toContain('offer-ads webhooks resend-since we_1 2035-06-01T11:30:00.000Z');
  });

  it('has the same help for no command and for a group of commands', async () => {
    const { out } = await offerAds(['--help']);
    for (const argv of ['-h', 'help', 'offers --help', 'offers -h']) {
      expect(await offerAds(words(argv))).toEqual({ code: 0, out, err: '' });
    }
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await offerAds(['--version'], {})).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('creates the offer with times relative to now and to the start', async () => {
    await offerAds([...creation, '--start', '+1d', '--idempotency-key', 'order-1', '--quote', 'a.quote']);
    const { headers, body } = service.asked.findLast(({ route }) => route === 'POST /offers')!;
    const sent = body.toString('latin1');
    const part = (name: string) =>
      [...sent.matchAll(new RegExp(`name="${name}"\r\n\r\n([^\r]*)`, 'g'))].map(([, value]) => value);
    expect(headers['idempotency-key']).toBe('order-1');
    expect({ start: part('start_datetime'), end: part('expiry_datetime') }).toEqual({
      start: ['2035-06-02T12:00:00.000Z'],
      end: ['2035-06-04T12:00:00.000Z'],
    });
    expect([part('interests\\[\\]'), part('gender\\[\\]'), part('payment_method'), part('quote_id')]).toEqual(
      [['1', '2'], ['Female'], ['E'], ['a.quote']],
    );
  });

  it('lists as many offers as --limit says, over pages', async () => {
    const ids = async (argv: readonly string[]) => {
      const { out } = await offerAds(['offers', 'list', '--json', ...argv]);
      const { data, has_more } = JSON.parse(out) as { data: { offer_id: number }[]; has_more: boolean };
      return { ids: data.map(({ offer_id }) => offer_id), more: has_more };
    };
    expect(await ids(['--limit', '1'])).toEqual({ ids: [3], more: true });
    expect(await ids(['--limit', '2'])).toEqual({ ids: [3, 2], more: true });
    expect(await ids(['--limit', '3'])).toEqual({ ids: [3, 2, 1], more: false });
    expect(await ids(['--all'])).toEqual({ ids: [3, 2, 1], more: false });
  });

  it.each([['--key'], ['--api-key'], ['--json']])(
    'refuses a key in the arguments (%s), and does not print it',
    async (flag) => {
      for (const argv of [
        ['categories', flag, apiKey],
        ['categories', `${flag}=${apiKey}`],
        ['categories', flag, apiKey.replace('pk_', 'pk_place_')],
      ]) {
        const { code, out, err } = await offerAds(argv);
        expect(code).toBe(2);
        expect(out + err).toContain('roll it');
        expect(out + err).not.toContain(apiKey);
      }
    },
  );

  it('reads the key from a file, and warns when others can read it', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, `${apiKey}\n`);
    chmodSync(file, 0o600);
    const env = { OFFER_ADS_BASE_URL: service.url };
    expect(await offerAds(['categories', '--key-file', file], env)).toMatchObject({ code: 0, err: '' });
    chmodSync(file, 0o644);
    const open = await offerAds(['categories'], { ...env, OFFER_ADS_KEY_FILE: file });
    expect(open).toMatchObject({ code: 0, err: expect.stringContaining('chmod 600') });
    expect(await offerAds(['categories', '--key-file', join(folder, 'none')], env)).toMatchObject({
      code: 2,
    });
  });

  it('names the missing setting when there is no address or no key', async () => {
    expect((await offerAds(['categories'], {})).err).toContain('OFFER_ADS_BASE_URL');
    expect((await offerAds(['categories'], { OFFER_ADS_BASE_URL: service.url })).err).toContain(
      'OFFER_ADS_API_KEY',
    );
  });

  it('exits with 4 when the key is not accepted', async () => {
    const env = { OFFER_ADS_API_KEY: 'pk_live_x', OFFER_ADS_BASE_URL: service.url };
    expect(await offerAds(['categories'], env)).toMatchObject({
      code: 4,
      err: expect.stringContaining('401 Unauthorised'),
    });
  });

  it('prints no control characters of a reply', async () => {
    const message = 'red \u001b[31m and a title \u009d0;x\u0007';
    const pausing = ['offers', 'pause', '1'];
    for (const body of [
      { return_code: 'S1', message },
      { return_code: 'E2', message },
      { return_code: 'E8', message },
    ]) {
      const { out, err } = await offerAdsWith(pausing, [{ status: 200, body }]);
      expect(out + err).toContain('red  [31m and a title  0;x');
    }
  });

  it('exits with 1 when the service is away, and prints how to repeat a creation safely', async () => {
    const { code, err, seen } = await offerAdsWith(creation, [
      { status: 503, body: { message: 'Service unavailable' } },
    ]);
    expect([code, seen.length]).toEqual([1, 4]);
    expect(err).toContain('HTTP 503, again in');
    const key = seen[0]?.headers['idempotency-key'];
    const flags = `--start 2035-06-01T12:00:00.000Z --end 2035-06-03T12:00:00.000Z --idempotency-key ${key}`;
    expect(err).toContain(flags);
    expect(err).not.toContain(apiKey);
  });

  it('prints how to repeat the creation of a webhook safely', async () => {
    const creating = words('webhooks create --url https://shop.example/hooks');
    const { code, err, seen } = await offerAdsWith(creating, [
      { status: 503, body: { message: 'Service unavailable' } },
    ]);
    expect(code).toBe(1);
    const key = seen[0]?.headers['idempotency-key'];
    expect(err).toContain(`no second webhook is created: --idempotency-key ${key}`);
  });
});
