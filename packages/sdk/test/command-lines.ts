/**
 * Command lines of `offer-ads`, with what each asks of the service and prints, in one text. `npx node packages/sdk/test/command-lines.ts`
 * writes it after a change.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commands } from '../src/cli/commands.ts';
import { run } from '../src/cli/run.ts';
import { type Asked, startStandIn } from './stand-in.ts';

export const apiKey = 'pk_test_thisIsNoRealKeyButLooksLikeOne12345678';
export const now = new Date('2035-06-01T12:00:00Z');

/** `PICTURE`: the path of a picture. */
const creation =
  'offers create --category 1 --title Two-for-one --description x --url https://example.com/ --image PICTURE --at=51.5,-0.1 --radius 10 --end +48h --interest 1 --interest 2 --gender Female --idempotency-key order-1';
const estimate = 'estimate --at 51.5,-0.1 --radius 10';

const commandLines = [
  'categories',
  'interests',
  `${estimate} --end +48h`,
  `${estimate} --start 2035-06-01T12:00:00Z --end +48h --quote`,
  'offers list',
  'offers list --limit 1',
  `${creation} --pay card`,
  'offers pause 4711',
  'offers resume 4711',
  'offers update 4711 --title Three',
  'offers analytics 4711 --interval 30d',
  'offers delete 4711',
  'webhooks list',
  'webhooks create --url https://shop.example/hooks',
  'webhooks create --url https://a.example/ --description Shop --event offer.paid --event offer.ended',
  'webhooks change we_1 --description Till',
  'webhooks change we_1 --url https://a.example/ --event offer.paid',
  'webhooks change we_1 --event all --description=',
  'webhooks test we_1',
  'webhooks messages we_1',
  'webhooks resend we_1 msg_1',
  'webhooks resend-since we_1 90m',
  'webhooks resend-since we_1 2035-05-31T00:00:00Z --include-delivered',
  'webhooks roll-secret we_1',
  'webhooks disable we_1',
  'webhooks enable we_1',
  'webhooks delete we_1',
  'clock show',
  'clock advance +7d',
  'clock advance 2035-06-09T12:00:00Z',
  'clock reset',
  // The service refuses.
  'offers pause 1',
  'offers pause 1 --json',
  // What is wrong on the command line asks nothing.
  'offers buy',
  'categories --verbose',
  '--allow-http categories',
  'offers pause x',
  'offers pause',
  'estimate --at London --radius 10 --end +1h',
  estimate,
  `${estimate} --end 2035-06-01T12:00:00`,
  `${creation} --pay card --image nowhere.png`,
  `${creation} --pay cheque`,
  'webhooks create --event offer.paid',
  'webhooks resend-since we_1 yesterday',
  'webhooks resend msg_1',
];

const picture = fileURLToPath(new URL('../../../docs/test-pictures/always-allowed.png', import.meta.url));

export async function allCommandLines(): Promise<string> {
  await using service = await startStandIn();
  const env = { OFFER_ADS_API_KEY: apiKey, OFFER_ADS_BASE_URL: service.url };
  const shown: string[] = [];
  for (const line of [
    '',
    '--help',
    ...Object.keys(commands).map((name) => `${name} --help`),
    ...commandLines,
  ]) {
    const before = service.asked.length;
    const said: string[] = [];
    const say = (text: string) => said.push(text);
    const words = line.replace('PICTURE', picture).split(' ').filter(Boolean);
    const code = await run(words, { env, out: say, err: say, now: () => now });
    const asked = service.asked.slice(before).map((request) => `> ${request.route}${bodyOf(request)}\n`);
    shown.push(`$ offer-ads ${line}\n${asked.join('')}${said.join('')}${code === 0 ? '' : `exit ${code}\n`}`);
  }
  return shown.join('\n');
}

function bodyOf({ headers, body }: Asked): string {
  return headers['content-type'] === 'application/json' ? ` ${body.toString()}` : '';
}

const file = fileURLToPath(new URL('command-lines.txt', import.meta.url));
export const expectedCommandLines = () => readFileSync(file, 'utf8');

if (import.meta.main) writeFileSync(file, await allCommandLines());
