import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fakeClock, type Scripted, scriptedFetch } from '../../test/fake-service.ts';
import { type StandIn, startStandIn } from '../../test/stand-in.ts';
import { createClientAt } from '../client.ts';
import { commands } from './commands.ts';
import { run } from './run.ts';

const apiKey = 'pk_test_thisIsNoRealKeyButLooksLikeOne12345678';
const image = fileURLToPath(new URL('../../../../docs/test-pictures/always-allowed.png', import.meta.url));
const now = new Date('2035-06-01T12:00:00Z');

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

const group = [
  ...words('groups create --category 1 --title Two-for-one --description x --url https://example.com/'),
  '--image',
  image,
  ...words('--place 51.5,-0.1 --radius 10 --end +48h --pay balance --max-cost 192.50'),
];

describe('offer-ads', () => {
  it.each([
    ['categories', '', / 1 {2}Food and drink/],
    ['interests', '', / 1 {2}Hiking/],
    ['balance', '', /^mode +TEST\nbalance +904\.00 GBP\n$/],
    ['estimate', '--at 51.5,-0.1 --radius 10 --end +48h', /96\.00 GBP\nusers reached +2000/],
    [
      'estimate',
      '--at 51.5,-0.1 --radius 10 --start 2035-06-01T12:00:00Z --end +48h --quote',
      /start +2035-06-01T12:00:00Z\nend +2035-06-03T12:00:00.000Z\nquote +a\.quote\nquote valid until +2035/,
    ],
    ['offers list', '', /ID {2}STATUS[^]* 3 {2}Active +2035-06-01 12:00Z/],
    [
      'offers get',
      '4711',
      /^offer +4711\n[^]*status +Active\n[^]*gender +all\n[^]*possible now +pause, edit, delete\n$/,
    ],
    [
      'offers create',
      creation.slice(2).join(' '),
      /offer +4711\nstatus +Awaiting Payment\nto be paid at +https:\/\/ads/,
    ],
    ['offers pause', '4711', /Offer has been paused\n/],
    ['offers resume', '4711', /Offer has been resumed\n/],
    ['offers update', '4711 --title Three', /Offer has been updated\n/],
    ['offers analytics', '4711 --interval 30d', /views +30\nclicks +4\nclick rate +13\.3 %/],
    [
      'offers series',
      '4711 --interval 24h --granularity hour',
      /^FROM +VIEWS +CLICKS\n2035-06-01 12:00Z +10 +4\n2035-06-02 00:00Z +20 +0\n$/,
    ],
    [
      'offers results',
      '4711',
      /spent +96\.00 GBP\n[^]*cost per click +24\.00 GBP\n[^]*hours run +24\.0 of 48\.0, 50 %\n$/,
    ],
    ['offers changes', '4711', /^TIME +WHAT +BY\n2035-06-01 13:00Z +edited +person +title, url\n$/],
    [
      'results',
      '--interval 30d',
      /VIEWS +CLICKS +SPENT\n2035-05-26 12:00Z to 2035-06-02 12:00Z +30 +4 +96\.00 GBP\nthe same time before +0 +0 +-\n[^]* 4711 +30 +4 +Two for one\n$/,
    ],
    ['offers delete', '4711', /Offer has been deleted\n/],
    [
      'groups estimate',
      '--place 51.5,-0.1 --place=-33.87,151.21 --radius 10 --end +48h',
      /^PLACE +USERS REACHED +COST\nSoho +2000 +96\.00 GBP\n- +2000 +96\.00 GBP\ncost of all, net of VAT +192\.00 GBP\n$/,
    ],
    [
      'groups create',
      group.slice(2).join(' '),
      /^group +7\nidempotency key +\S+\nOFFER +STATUS +PLACE\n +4711 +Active +Soho\n$/,
    ],
    ['groups get', '7', /^group +7\n[^]*running now +1 of 1\n[^]*\n +4711 +Active +30 +4 +96\.00 +Soho\n$/],
    [
      'groups series',
      '7 --from 2035-06-01 --to 2035-06-02',
      /^FROM +VIEWS +CLICKS\n2035-06-01 12:00Z +10 +4\n/,
    ],
    ['groups update', '7 --title Three', /Offers have been updated\n/],
    ['groups pause', '7', /^OFFER +OUTCOME\n +4711 +Offer has been paused\n$/],
    ['groups resume', '7', /Offer has been resumed\n/],
    ['groups delete', '7', /Offer has been deleted\n/],
    ['webhooks list', '', /^ID +STATUS +URL +EVENTS\nwe_1 +enabled +https:\/\/shop\.example\/hooks +all\n$/],
    [
      'webhooks create',
      '--url https://shop.example/hooks',
      /^webhook +we_1\nstatus +enabled\nurl +https:\/\/shop\.example\/hooks\nevents +all\nsecret, shown this once +whsec_/,
    ],
    [
      'webhooks test',
      'we_1',
      /^message +msg_1\nevent +webhook\.test\nstatus +pending\nThe answer: offer-ads webhooks messages we_1\n$/,
    ],
    [
      'webhooks messages',
      'we_1',
      /^ID +EVENT[^]*\nmsg_1 +webhook\.test +pending +2035-05-01 12:00Z +0 +-\n$/,
    ],
    ['webhooks resend', 'we_1 msg_1', /^message +msg_1\n/],
    ['webhooks resend-since', 'we_1 24h', /^1 message is sent again\.\n$/],
    ['webhooks roll-secret', 'we_1', /secret, shown this once +whsec_/],
    ['webhooks disable', 'we_1', /^webhook +we_1\nstatus/],
    ['webhooks change', 'we_1 --event all', /^webhook +we_1\nstatus/],
    ['webhooks enable', 'we_1', /^webhook +we_1\nstatus/],
    ['webhooks delete', 'we_1', /Webhook has been deleted\n/],
    ['clock show', '', /now +2035-06-02T12:00:00\.000Z\nseconds ahead +86400\nstatus +ready/],
    ['clock advance', '+7d', /seconds ahead +86400/],
    ['clock reset', '', /seconds ahead +0/],
  ])('%s prints the reply as text or, with --json, as an object', async (name, rest, text) => {
    expect(commands).toHaveProperty([name]);
    const argv = words(`${name} ${rest}`);
    expect(await offerAds(argv)).toEqual({ code: 0, out: expect.stringMatching(text), err: '' });
    const { code, out } = await offerAds([...argv, '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, expect.any(Object)]);
  });

  it('has help for each command, and each is in the table above', async () => {
    for (const [name, { example, options = {} }] of Object.entries(commands)) {
      const { code, out } = await offerAds([...name.split(' '), '--help']);
      expect([code, out.includes(example)]).toEqual([0, true]);
      expect(example).toMatch(new RegExp(`^offer-ads ${name}( |$)`));
      for (const option of Object.keys(options)) expect(out).toContain(`--${option}`);
      expect((await offerAds(['--help'])).out).toContain(name);
    }
    expect(Object.keys(commands)).toHaveLength(39);
  });

  it('asks for the results of days of a time zone', async () => {
    const days = 'from=2035-05-01&to=2035-05-31&time_zone=Europe%2FLondon';
    const { seen } = await offerAdsWith(
      words('results --from 2035-05-01 --to 2035-05-31 --time-zone Europe/London'),
      [{ status: 400, body: { return_code: 'E1', code: 400, status: 'Error', message: 'no' } }],
    );
    expect(seen.map(({ url }) => new URL(url).search)).toEqual([`?${days}`]);
  });

  it.each([
    ['+7d', { advance_seconds: 604_800 }],
    ['2035-06-09T12:00:00Z', { now: '2035-06-09T12:00:00Z' }],
  ])('moves the test clock by a time or to an instant: %s', async (time, body) => {
    await offerAds(['clock', 'advance', time]);
    expect(JSON.parse(service.asked.at(-1)?.body.toString() ?? '')).toEqual(body);
  });

  it.each([
    ['create --url https://a.example/', 'POST /webhooks', { url: 'https://a.example/' }],
    [
      'create --url https://a.example/ --description Shop --event offer.paid --event offer.ended',
      'POST /webhooks',
      { url: 'https://a.example/', description: 'Shop', event_types: ['offer.paid', 'offer.ended'] },
    ],
    [
      'change we_1 --description Till',
      'PUT /webhooks/we_1',
      { url: 'https://shop.example/hooks', description: 'Till', event_types: null },
    ],
    [
      'change we_1 --url https://a.example/ --event offer.paid',
      'PUT /webhooks/we_1',
      { url: 'https://a.example/', description: 'Shop', event_types: ['offer.paid'] },
    ],
    [
      'create --url https://a.example/ --ed25519',
      'POST /webhooks',
      { url: 'https://a.example/', ed25519: true },
    ],
    [
      'change we_1 --event all --description=',
      'PUT /webhooks/we_1',
      { url: 'https://shop.example/hooks', description: null, event_types: null },
    ],
    ['resend-since we_1 90m', 'POST /webhooks/we_1/resend', { since: '2035-06-01T10:30:00.000Z' }],
    [
      'resend-since we_1 2035-05-31T00:00:00Z --include-delivered',
      'POST /webhooks/we_1/resend',
      { since: '2035-05-31T00:00:00Z', include_delivered: true },
    ],
  ])('sends what webhooks %s says', async (line, route, body) => {
    await offerAds(words(`webhooks ${line}`));
    const asked = service.asked.at(-1);
    expect([asked?.route, JSON.parse(asked?.body.toString() ?? '')]).toEqual([route, body]);
  });

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

  it('creates a group with its places and the most that it may cost', async () => {
    await offerAds([...group, '--place', '51.6,-0.2 Soho, second floor']);
    const { body } = service.asked.findLast(({ route }) => route === 'POST /offer-groups')!;
    expect(body.toString('latin1')).toContain('name="max_cost"\r\n\r\n192.5\r\n');
    expect(body.toString('latin1')).toContain(
      '[{"latitude":51.5,"longitude":-0.1},{"latitude":51.6,"longitude":-0.2,"label":"Soho, second floor"}]',
    );
    const sent = service.asked.length;
    for (const wrong of [
      ['--place', 'Soho'],
      ['--max-cost', '60,00'],
    ])
      expect((await offerAds([...group, ...wrong])).code).toBe(2);
    expect(service.asked).toHaveLength(sent);
  });

  it('sends one picture for each place of a group, in their order, and a file that is named twice once', async () => {
    const other = join(folder, 'other.png');
    writeFileSync(other, 'another picture');
    const three = [...group, '--place', '51.6,-0.2', '--place', '51.7,-0.3'];
    await offerAds([...three, '--image', other, '--image', image]);
    const sent = service.asked
      .findLast(({ route }) => route === 'POST /offer-groups')!
      .body.toString('latin1');
    expect(sent).toContain(
      '[{"latitude":51.5,"longitude":-0.1,"image":"image-1"},{"latitude":51.6,"longitude":-0.2,"image":"image-2"},{"latitude":51.7,"longitude":-0.3,"image":"image-1"}]',
    );
    const files = [...sent.matchAll(/name="image"; filename="([^"]+)"\r\n[^\r]*\r\n\r\n(.{7})/gs)];
    expect(files.map(([, name, content]) => [name, content === 'another'])).toEqual([
      ['image-1', false],
      ['image-2', true],
    ]);
    const { code, err } = await offerAds([...three, '--image', other]);
    expect([code, err]).toEqual([2, expect.stringContaining('once for each --place: 3 times, not 2')]);
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

  it.each([
    ['nothing', [], 'Commands'],
    ['an unknown command', words('offers buy'), 'There is no command "offers buy"'],
    ['an unknown option', words('categories --verbose'), "Unknown option '--verbose'"],
    [
      'an option before the command',
      words('--allow-http categories'),
      'There is no command "--allow-http categories"',
    ],
    ['a wrong id', words('offers pause x'), 'OFFER must be a whole number'],
    ['no id', words('offers pause'), 'Expected OFFER'],
    ['a wrong place', words('estimate --at London --radius 10 --end +1h'), '--at must be'],
    ['no end', words('estimate --at 1,1 --radius 10'), '--end is missing'],
    [
      'a time without a zone',
      words('estimate --at 1,1 --radius 10 --end 2035-06-01T12:00:00'),
      '--end must be',
    ],
    ['a picture that does not exist', [...creation, '--image', 'nowhere.png'], 'nowhere.png cannot be read'],
    ['no address of a webhook', words('webhooks create --event offer.paid'), '--url is missing'],
    ['a time that is none', words('webhooks resend-since we_1 yesterday'), 'TIME must be'],
    ['a message without its webhook', words('webhooks resend msg_1'), 'Expected WEBHOOK MESSAGE'],
    ['a wrong payment method', [...creation, '--pay', 'cheque'], '--pay must be'],
  ])('refuses %s with a reason, and sends nothing', async (_what, argv, says) => {
    const before = service.asked.length;
    const { code, out, err } = await offerAds(argv);
    expect([code, service.asked.length]).toEqual([2, before]);
    expect(out + err).toContain(says);
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

  it('exits with 3 after a refusal, and with 4 when the key is not accepted', async () => {
    expect(await offerAds(['offers', 'pause', '1'])).toEqual({
      code: 3,
      out: '',
      err: 'Refused, E1: Offer not found\n',
    });
    const refused = JSON.parse((await offerAds(['offers', 'pause', '1', '--json'])).out) as object;
    expect(refused).toMatchObject({
      error: { kind: 'refused', code: 'E1', status: 401, message: 'Offer not found' },
    });
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
