/** The whole tool, with a stand-in for all services: it answers as the test says and records the calls. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { adminCredential } from '@offer-ads/platform/admin/tokens';
import { runAdmin } from '../src/run.ts';
import { createTools, type Tools } from '../src/tools.ts';

export const token = 'a-token-of-more-than-thirty-two-characters';

/** All services at one address, and no broker. */
export function settingsAt(address: string) {
  return {
    GATEWAY_ADMIN_URL: address,
    OFFERS_ADMIN_URL: address,
    BILLING_ADMIN_URL: address,
    PRICING_ADMIN_URL: address,
    MODERATION_ADMIN_URL: address,
    NOTIFIER_ADMIN_URL: address,
    RABBITMQ_URL: 'amqp://127.0.0.1:1',
    ADMIN_TOKEN: token,
  };
}

/** @param words the arguments, separated by blanks */
export async function run(words: string, tools: () => Tools) {
  const lines: string[] = [];
  const status = await runAdmin(words.split(' ').filter(Boolean), tools, {
    out: (line) => lines.push(line),
    err: (line) => lines.push(`stderr ${line}`),
  });
  return { status, printed: lines.join('\n') };
}

/** With `--json`. */
export async function runJson(words: string, tools: () => Tools) {
  const { status, printed } = await run(`${words} --json`, tools);
  return { status, result: JSON.parse(printed) as unknown };
}

/** Runs a command with a function for all calls of services, and one for all downloads. */
export function runWith(words: string, call: Tools['call'], download: Tools['download'] = noDownload) {
  return runJson(words, () => ({ call, download, settings: settingsAt(''), namespace: '' }));
}

async function noDownload(): Promise<never> {
  throw new Error('this command downloads nothing');
}

export type Received = {
  call: string;
  body: unknown;
  token: string;
  actor: string;
  subject: string;
  roles: string;
  via: string;
  requestId: string;
  /** The service whose credential came with the call. */
  owner: string | undefined;
};

/** A server that records each request, and answers it by the function given. */
export function standInServices(answer: (call: string, res: ServerResponse) => void) {
  const received: Received[] = [];
  const receive = async (req: IncomingMessage, res: ServerResponse) => {
    const body = await text(req);
    const call = `${req.method} ${req.url}`;
    const header = (name: string) => String(req.headers[name] ?? '');
    const authorization = header('authorization');
    const isJson = req.headers['content-type'] === 'application/json' && body !== '';
    received.push({
      call,
      body: isJson ? JSON.parse(body) : body,
      token: authorization,
      actor: header('x-admin-actor'),
      subject: header('x-admin-subject'),
      roles: header('x-admin-roles'),
      via: header('x-admin-via'),
      requestId: header('x-request-id'),
      owner: serviceNames.find((name) => authorization === `Bearer ${adminCredential(token, name)}`),
    });
    answer(call, res);
  };
  const server = createServer((req, res) => void receive(req, res));
  // On a busy machine seconds pass between two calls, and the second must not meet a connection that is being closed.
  server.keepAliveTimeout = 0;
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    received.length = 0;
  });
  return { received, address: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Call it at the top of a test file. Replies and recorded calls are empty at the beginning of each test. */
export function adminUnderTest() {
  /** By method and path. One with a message is a refusal. */
  const replies: Record<string, object> = {};
  const { received, address } = standInServices((call, res) => {
    const reply = replies[call];
    res.statusCode = reply === undefined ? 404 : 'message' in reply ? 409 : 200;
    res.end(JSON.stringify(reply ?? { message: 'Not found' }));
  });
  beforeEach(() => {
    for (const call of Object.keys(replies)) delete replies[call];
  });
  const tools = () => createTools(settingsAt(address()));
  return {
    admin: (words: string) => run(words, tools),
    adminJson: (words: string) => runJson(words, tools),
    received,
    replies,
  };
}
