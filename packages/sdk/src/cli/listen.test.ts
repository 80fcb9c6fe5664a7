import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fakeClock, type Scripted, scriptedFetch } from '../../test/fake-service.ts';
import { createClientAt } from '../client.ts';
import type { WebhookEvent } from '../types.ts';
import { verifyWebhook } from '../verify-webhook.ts';
import { run } from './run.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ownSecret = 'whsec_nL2DkpEXC2CIkkLC9RqyOz6xKJIXXwmzXqZ3kC5c5qU=';
const webhook = { webhook_id: 'we_1', environment: 'TEST', secret };

/** The server of an advertiser: it refuses what is not signed with the secret. */
let server: Server;
let hooks: string;
let received: WebhookEvent[];
let expected: string;
beforeAll(async () => {
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const message = { secret: expected, headers: req.headers, body: Buffer.concat(chunks) };
    const event = await verifyWebhook(message).catch(() => null);
    if (event !== null) received.push(event);
    res.writeHead(event === null ? 400 : 204).end();
  }
  server = createServer((req, res) => void receive(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  hooks = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const message = (n: number) => ({
  message_id: `msg_${n}`,
  event_type: 'offer.created',
  body: { type: 'offer.created', timestamp: '2035-06-01T12:00:00.000Z', data: { offer_id: n } },
});
/** A page of the list, the latest message first. */
const page = (numbers: readonly number[], next: string | null = null) => ({
  status: 200,
  body: { data: numbers.map(message), pagination: { next_cursor: next } },
});
const deletion = { status: 200, body: { webhook_id: 'we_1', message: 'Webhook has been deleted' } };

/** Interrupted, as by Ctrl+C, when the last scripted page was read and its messages are forwarded. */
async function listen(o: {
  readonly pages: readonly Scripted[];
  readonly afterwards?: Scripted;
  readonly to?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}) {
  received = [];
  expected = o.env?.OFFER_ADS_WEBHOOK_SECRET ?? secret;
  const interrupted = new AbortController();
  const clock = fakeClock();
  const made = [webhook, webhook].map((body) => ({ status: 200, body }));
  const { fetch, seen } = scriptedFetch(clock, [...made, ...o.pages, o.afterwards ?? deletion]);
  const said = { out: '', err: '' };
  const running = run(['webhooks', 'listen', '--forward-to', o.to ?? hooks, ...(o.flags ?? [])], {
    env: { OFFER_ADS_API_KEY: 'pk_test_x', OFFER_ADS_BASE_URL: 'https://ads.example.com', ...o.env },
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
    now: () => new Date(),
    signal: interrupted.signal,
    client: (options) => createClientAt(clock, { ...options, fetch }),
    clock: {
      ...clock,
      schedule: (afterMs, run) => {
        if (afterMs === 3_000 && seen.length === 2 + o.pages.length) interrupted.abort();
        return clock.schedule(afterMs, run);
      },
    },
  });
  const code = await clock.during(running);
  return { code, ...said, asked: seen.map(({ method, url }) => `${method} ${new URL(url).pathname}`), seen };
}

describe('offer-ads webhooks listen', () => {
  it('forwards each event once, the oldest first and signed, and deletes its webhook at Ctrl+C', async () => {
    const { code, out, err, asked, seen } = await listen({
      pages: [page([]), page([3, 2], 'older'), page([1]), page([4, 3, 2, 1]), page([4, 3, 2, 1])],
      flags: ['--event', 'offer.created'],
    });
    expect(received.map(({ data }) => data)).toEqual([1, 2, 3, 4].map((n) => ({ offer_id: n })));
    const lines = [1, 2, 3, 4].map((n) => `offer.created  msg_${n}  204\n`).join('');
    const first = `TEST events go to ${hooks} until Ctrl+C. The secret: ${secret}\n`;
    expect([code, out, err]).toEqual([0, `${first}${lines}4 forwarded\n`, '']);
    expect(asked).toEqual([
      'POST /webhooks',
      // A webhook that is on would be called at an address that does not exist.
      'POST /webhooks/we_1/disable',
      ...Array<string>(5).fill('GET /webhooks/we_1/messages'),
      'DELETE /webhooks/we_1',
    ]);
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
      url: expect.stringMatching(/^https:\/\/listen\.invalid\/[\w-]{36}$/),
      event_types: ['offer.created'],
    });
  });

  it('signs with the secret that the server has already, and does not print it', async () => {
    const { out } = await listen({ pages: [page([1])], env: { OFFER_ADS_WEBHOOK_SECRET: ownSecret } });
    expect(received).toHaveLength(1);
    expect(out).toContain('The secret: OFFER_ADS_WEBHOOK_SECRET\n');
    expect(out).not.toContain('whsec_');
  });

  it('prints an object for each event with --json', async () => {
    const { out } = await listen({ pages: [page([1])], flags: ['--json'] });
    const [first, second] = out.split('\n').slice(0, 2);
    expect(JSON.parse(first ?? '')).toEqual({ webhook_id: 'we_1', forward_to: hooks, secret });
    expect(JSON.parse(second ?? '')).toEqual({
      message_id: 'msg_1',
      event_type: 'offer.created',
      http_status: 204,
      problem: null,
    });
  });

  it('says so when nothing listens at the port, and goes on with the next event', async () => {
    // A port of the system, on which no program listens.
    const to = 'http://127.0.0.1:2';
    const { code, out } = await listen({ pages: [page([1]), page([2, 1])], to });
    const lines = [1, 2].map((n) => `offer.created  msg_${n}  nothing listens at ${to}: start your server\n`);
    expect([code, out]).toEqual([0, expect.stringContaining(lines.join(''))]);
  });

  it('deletes its webhook after a fault or a refusal too, and names one that it could not delete', async () => {
    const gone = { return_code: 'E2', status: 'Error', code: 404, message: 'Webhook not found' };
    const refused = await listen({ pages: [{ status: 404, body: gone }] });
    expect([refused.code, refused.asked.at(-1)]).toEqual([3, 'DELETE /webhooks/we_1']);
    const away = { status: 503, body: { message: 'Service unavailable' } };
    const faulty = await listen({ pages: [away, away, away, away], afterwards: away });
    expect(faulty.code).toBe(1);
    expect(faulty.err).toContain('Its webhook is left: offer-ads webhooks delete we_1\n');
  });

  it.each([
    ['an address without http', ['--forward-to', 'localhost:3000'], {}, '--forward-to must be'],
    ['a LIVE key', [], { OFFER_ADS_API_KEY: 'pk_live_x' }, 'needs a TEST key'],
    ['a secret that is none', [], { OFFER_ADS_WEBHOOK_SECRET: 'hunter2' }, 'is no secret of a webhook'],
  ])('refuses %s, and sends nothing', async (_what, flags, env, says) => {
    const { code, err, asked } = await listen({ pages: [page([])], flags, env });
    expect([code, asked]).toEqual([2, []]);
    expect(err).toContain(says);
    expect(err).not.toContain('hunter2');
  });
});
