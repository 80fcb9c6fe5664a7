/** The whole tool before a stand-in for all services, which answers as the test says and remembers what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { runAdmin } from '../src/run.ts';
import { createTools } from '../src/tools.ts';

type Received = { call: string; body: unknown; token: string; actor: string };

export const token = 'a-token-of-more-than-thirty-two-characters';

/** For the top of a test file: starts with it, ends with it, and knows nothing any more at the beginning of each test. */
export function adminUnderTest() {
  const received: Received[] = [];
  /** By method and path. With a message it is a refusal. */
  const replies: Record<string, object> = {};
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
  const server = createServer((req, res) => void answer(req, res));
  // On a busy machine seconds pass between two calls, and the second must not meet a connection that is being closed.
  server.keepAliveTimeout = 0;
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    received.length = 0;
    for (const call of Object.keys(replies)) delete replies[call];
  });

  /** Words are parted by blanks; "_" stands for a blank within one. */
  async function admin(words: string, at = address()) {
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
      () => createTools(settings),
      { out: (line) => lines.push(line), err: (line) => lines.push(`stderr ${line}`) },
    );
    return { status, printed: lines.join('\n') };
  }

  async function adminJson(words: string, at = address()) {
    const { status, printed } = await admin(`${words} --json`, at);
    return { status, result: JSON.parse(printed) as unknown };
  }

  return { admin, adminJson, received, replies };
}
