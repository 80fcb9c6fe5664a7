/** What the call log must never hold (specification, Authentication item 10), searched for wherever a process writes. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { collectingLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { sendRaw } from '../forwarding/raw-client.ts';
import { startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';

const { logger, lines } = collectingLogger('trace');
const gateway = forAllTests(() => startGatewayUnderTest({ overrides: { logger } }));
let key: string;

beforeAll(async () => {
  ({ key } = await gateway.createKey(await gateway.register()));
});

const ip = unusedIp();
/** Each of these words is sent below, and must be found nowhere. */
const private_ = {
  query: 'hush-query',
  body: 'hush-body',
  file: 'hush-file-name',
  id: 'hush-id',
  path: 'hush-path',
  header: 'hush-header',
  reply: 'hush-reply',
};

/** How the services answer: with a status, or by breaking the connection. */
type Answer = number | 'reset';

function answerWith(answer: Answer): void {
  for (const service of [gateway.offers, gateway.pricing]) {
    if (answer === 'reset') service.respond = (req) => req.socket.resetAndDestroy();
    else service.answer(answer, { return_code: 'E1', message: private_.reply });
  }
}

const form = [
  '--b',
  `Content-Disposition: form-data; name="image"; filename="${private_.file}.jpg"`,
  '',
  private_.body,
  '--b--',
  '',
].join('\r\n');

/** Requests with every kind of end. */
async function callInEveryWay(): Promise<number[]> {
  const base = gateway.url;
  const headers = {
    'user-agent': private_.header,
    cookie: private_.header,
    authorization: `Bearer ${private_.header}`,
    'idempotency-key': private_.header,
    referer: `https://${private_.header}.test/`,
  };
  const statuses: number[] = [];
  const ask = async (method: string, path: string, answer: Answer, o: object = {}) => {
    answerWith(answer);
    const target = `${path}?environment=${private_.query}&x-api-key=${key}`;
    const once = answer === 'reset';
    const reply = await gateway.call(target, { method, key, ip, headers, once, ...o });
    statuses.push(reply.status);
  };
  const multipart = { ...headers, 'content-type': 'multipart/form-data; boundary=b' };
  await ask('GET', '/offers', 200);
  await ask('POST', '/offers', 403, { body: form, headers: multipart });
  await ask('POST', '/offers', 500, { body: form, headers: multipart });
  await ask('POST', '/offers/price-estimate', 'reset', { body: `{"location": "${private_.body}"}` });
  await ask('DELETE', `/offers/${private_.id}`, 401);
  await ask('GET', `/offers/${private_.id}/analytics`, 400);
  await ask('POST', `/offers/${private_.path}/pause`, 'reset');
  await ask('GET', `/${private_.path}/${private_.id}`, 200);
  await ask('PUT', `/offers/${private_.id}`, 200, { body: private_.body });
  await ask('GET', '/categories', 200, { key: `${key}${private_.header}` });

  const head = ['Host: a', `X-Api-Key: ${key}`, `X-Forwarded-For: ${ip}`, `X-Private: ${private_.header}`];
  const raw = (line: string, ...more: string[]) => [line, ...head, ...more].join('\r\n');
  const post = `POST /offers?${private_.query} HTTP/1.1`;
  const chunked = 'Transfer-Encoding: chunked';
  answerWith(200);
  await sendRaw(base, raw(post, chunked, '', `${private_.body}\r\n`)).answer;
  await sendRaw(base, raw(post, chunked, 'Content-Length: 5', '', private_.body)).answer;
  await sendRaw(base, raw(`${private_.path} ${private_.query}`, '', '')).answer;
  for (let count = statuses.length; count < 70; count += 1) await ask('GET', '/offers', 200);
  return statuses;
}

/** `known` must be in the text, as proof that the search is in the right place. */
function expectNothingPrivateIn(text: string, known: string): void {
  expect(text).toContain(known);
  const words = [...Object.values(private_), key, key.slice(8, 40), ip];
  expect(words.filter((word) => text.includes(word))).toEqual([]);
}

describe('for a request with a key, whatever its end', () => {
  it('the table holds the fields of the specification and nothing else', async () => {
    const statuses = await callInEveryWay();
    expect(new Set(statuses)).toEqual(new Set([200, 400, 401, 403, 404, 405, 429, 500, 503]));
    const stored = await eventually(async () => {
      const { rows } = await gateway.database.query<{ row: string; status: number }>(
        'SELECT to_jsonb(c)::text AS row, status FROM calls c',
      );
      expect(rows.length).toBeGreaterThanOrEqual(statuses.length - 1);
      return rows;
    });
    for (const { row } of stored) {
      expect(Object.keys(JSON.parse(row) as object).toSorted()).toEqual([
        'called_at',
        'duration_ms',
        'id',
        'key_id',
        'organisation_id',
        'request_id',
        'return_code',
        'route',
        'status',
      ]);
    }
    expectNothingPrivateIn(stored.map(({ row }) => row).join('\n'), 'POST /offers/{offer_id}/pause');
    expect(new Set(stored.map(({ status }) => status))).toEqual(new Set(statuses));
  });

  it('the log of the process at its finest level, and its metrics, hold nothing private', async () => {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    expectNothingPrivateIn(metrics, 'route="/offers/:offer_id/pause"');
    expectNothingPrivateIn(lines.join(''), '"route":"/offers/:offer_id/pause"');
    expect(lines.join('')).toContain('"status":503');
  });
});
