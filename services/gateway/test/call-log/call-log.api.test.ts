import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testClock } from '@offer-ads/testing/clock';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import pg from 'pg';
import { composeKey } from '../../src/domain/keys/api-key.ts';
import { everyEndpoint } from '../every-endpoint.ts';
import { answerJson } from '../forwarding/fake-upstream.ts';
import { type GatewayUnderTest, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

/** A key of an organisation that nobody else uses, and how to read its log. */
async function freshKey(overrides: Record<string, unknown> = {}) {
  const organisationId = await gateway.register();
  const { id, key } = await gateway.createKey(organisationId, overrides);
  const allCalls = async () => {
    const { body } = await gateway.admin('GET', `/organisations/${organisationId}/calls`);
    return (body as { calls: Record<string, unknown>[] }).calls;
  };
  /** Without those that a busy machine refused with a 503 before they were made again. */
  const calls = async () => (await allCalls()).filter(({ status }) => status !== 503);
  return { id, key, calls, allCalls };
}

describe('the call log', () => {
  it('holds exactly the key, route, status, return code, duration and time', async () => {
    const { id, key, calls } = await freshKey();
    gateway.offers.respond = answerJson(() => ({
      status: 200,
      body: { return_code: 'E3', message: 'paused' },
    }));
    await gateway.call('/offers/4711/pause?token=hush', { method: 'POST', key });
    const logged = await eventually(async () => {
      expect(await calls()).toHaveLength(1);
      return calls();
    });
    expect(logged).toEqual([
      {
        keyId: id,
        lastFour: key.slice(-4),
        route: 'POST /offers/{offer_id}/pause',
        status: 200,
        returnCode: 'E3',
        durationMs: expect.any(Number),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  it('holds refused requests too: disabled keys, unknown routes, and those over the limit', async () => {
    const { id, key, calls } = await freshKey();
    const ip = unusedIp();
    for (let count = 0; count < 60; count += 1) await gateway.call('/livez-not', { ip });
    await gateway.call('/interests', { ip, key });
    await gateway.call('/nowhere/17', { key });
    await gateway.admin('POST', `/keys/${id}/disable`);
    await gateway.call('/categories', { key });
    await eventually(async () =>
      expect((await calls()).map(({ route, status, returnCode }) => [route, status, returnCode])).toEqual([
        ['GET /categories', 401, null],
        ['GET unmatched', 404, null],
        ['GET /interests', 429, null],
      ]),
    );
  });

  it('holds the return code of a refusal of the gateway itself', async () => {
    const { key, calls } = await freshKey({ mode: null });
    await gateway.call('/offers', { key });
    await eventually(async () => expect(await calls()).toMatchObject([{ status: 401, returnCode: 'E1' }]));
  });

  it('passes a listing of any size without looking for a code in it', async () => {
    const { key, calls } = await freshKey();
    const body = { data: [{ return_code: 'not one', text: 'x'.repeat(200_000) }], return_code: 'beyond' };
    gateway.offers.respond = answerJson(() => ({ status: 200, body }));
    expect((await gateway.call('/offers', { key })).body).toEqual(body);
    await eventually(async () => expect(await calls()).toMatchObject([{ returnCode: null }]));
  });

  it('does not tell of other organisations', async () => {
    const [one, other] = [await freshKey(), await freshKey()];
    await gateway.call('/categories', { key: one.key });
    await eventually(async () => expect(await one.calls()).toHaveLength(1));
    expect(await other.calls()).toEqual([]);
  });

  it('notes when a key was last used', async () => {
    const organisationId = await gateway.register();
    const { key } = await gateway.createKey(organisationId);
    await gateway.call('/categories', { key });
    await eventually(async () =>
      expect((await gateway.admin('GET', `/organisations/${organisationId}/keys`)).body).toMatchObject({
        keys: [{ lastUsedAt: expect.stringMatching(/Z$/) }],
      }),
    );
  });
});

describe('logging', () => {
  it('changes neither request nor reply, and no request waits for it', async () => {
    const organisationId = await gateway.register();
    const { id, key } = await gateway.createKey(organisationId);
    let answered = 0;
    const ask = async () => {
      const seen: unknown[] = [];
      const noticed: unknown[] = [];
      const notice = answerJson(({ method, url, headers, body }) => {
        const { 'x-caller-context': _token, ...same } = headers;
        noticed.push({ method, url, headers: same, body: body.toString() });
        return { status: 200, body: { return_code: 'S1', url } };
      });
      gateway.offers.respond = notice;
      gateway.pricing.respond = notice;
      const replies = [];
      for (const { method, path, body } of everyEndpoint) {
        const headers = { 'x-request-id': 'always-the-same', 'idempotency-key': 'one' };
        // Until the table is free it would be for ever, and until the store's call is given up two seconds.
        const reply = await inTime(1_900, async () => {
          const reply = await patiently(() => {
            noticed.length = 0;
            return gateway.call(path, {
              method,
              key,
              headers,
              once: true,
              ...(body !== undefined && { body }),
            });
          });
          answered += 1;
          return reply;
        });
        seen.push(...noticed);
        const { date: _date, ...same } = Object.fromEntries(reply.headers);
        replies.push({ status: reply.status, headers: same, body: reply.body });
      }
      return { seen, replies };
    };
    const logged = async () => {
      const { body } = await gateway.admin(
        'GET',
        `/organisations/${organisationId}/calls?key_id=${id}&status=200`,
      );
      return (body as { calls: unknown[] }).calls.length;
    };
    const asUsual = await ask();
    await eventually(async () => expect(await logged()).toBe(answered));

    const other = new pg.Client({ connectionString: gateway.databaseUrl });
    await other.connect();
    await other.query('BEGIN');
    await other.query('LOCK TABLE calls');
    try {
      expect(await ask()).toEqual(asUsual);
    } finally {
      await other.end();
    }
    expect(asUsual.seen).toHaveLength(everyEndpoint.length);
    await eventually(async () => expect(await logged()).toBe(answered));
  });
});

describe('a record that is 90 days old', () => {
  it('is shown to the last instant and then to nobody, and its day is deleted', async () => {
    const dayMs = 24 * 60 * 60 * 1_000;
    const clock = testClock(new Date(Date.now() - 92 * dayMs));
    await using past = await startGatewayUnderTest({ clock });
    const organisationId = await past.register();
    const { key } = await past.createKey(organisationId);
    const calledAt = clock.now();
    await past.call('/categories', { key });
    const shown = async () => {
      const { body } = await past.admin('GET', `/organisations/${organisationId}/calls?status=200`);
      return (body as { calls: { at: string }[] }).calls.map(({ at }) => at);
    };
    await eventually(async () => expect(await shown()).toEqual([calledAt.toISOString()]));
    clock.set(new Date(calledAt.getTime() + 90 * dayMs));
    expect(await shown()).toHaveLength(1);
    clock.advance(1);
    expect(await shown()).toEqual([]);

    await using open = new AsyncDisposableStack();
    const database = new pg.Client({ connectionString: past.databaseUrl });
    await database.connect();
    open.defer(() => database.end());
    const stored = async () => (await database.query('SELECT 1 FROM calls WHERE status = 200')).rowCount;
    expect(await stored()).toBe(1);
    clock.set(new Date());
    // Each replica looks when it starts, and every hour from then on.
    open.use(await past.startReplica());
    await eventually(async () => expect(await stored()).toBe(0));
  });
});

describe('a gateway with a spool', () => {
  it('gives no room in it to calls with made-up keys, and little in memory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'call-spool-'));
    const wire = await startTcpProxy(gateway.databaseUrl);
    await using open = new AsyncDisposableStack();
    open.defer(() => rmSync(folder, { recursive: true }));
    open.use(wire);
    const config = { GATEWAY_DATABASE_URL: wire.url, CALL_SPOOL_FOLDER: folder };
    const replica = open.use(await gateway.startReplica({ config }));
    const metric = async (name: string) => {
      const metrics = await (await fetch(`${replica.url}/metrics`)).text();
      return Number(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
    };
    const { key, allCalls } = await freshKey();
    expect((await gateway.call('/categories', { key, base: replica.url })).status).toBe(200);
    await eventually(async () => expect(await allCalls()).toHaveLength(1));
    wire.takeDown();
    const ask = (path: string, sent: string) =>
      gateway.call(path, { key: sent, base: replica.url, once: true });
    const madeUp = (count: number) =>
      composeKey(
        'LIVE',
        Array.from({ length: 32 }, (_, place) => (place === 0 ? count : 7)),
      );
    for (let count = 0; count < 20; count += 1) {
      expect((await ask('/nowhere', madeUp(count))).status).toBe(404);
      expect((await ask('/categories', madeUp(count))).status).toBe(503);
    }
    await eventually(async () => expect(await metric('call_log_waiting_calls')).toBe(40));
    expect(await metric('call_log_spool_bytes')).toBe(0);
    await ask('/categories', key);
    await eventually(async () => expect(await metric('call_log_spool_bytes')).toBeGreaterThan(0));
    wire.bringBack();
    await eventually(async () => expect(await metric('call_log_waiting_calls')).toBe(0));
    await eventually(async () => expect(await allCalls()).toHaveLength(2));
  });

  it('stops during an outage of the store, and the next one logs what it had answered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'call-spool-'));
    const wire = await startTcpProxy(gateway.databaseUrl);
    await using open = new AsyncDisposableStack();
    open.defer(() => rmSync(folder, { recursive: true }));
    open.use(wire);
    const { key, allCalls } = await freshKey();
    const config = { GATEWAY_DATABASE_URL: wire.url, CALL_SPOOL_FOLDER: folder };
    const start = () => gateway.startReplica({ config });
    const first = await start();
    wire.takeDown();
    const ip = unusedIp();
    await fetch(`${first.url}/offers/of-somebody/pause?token=hush`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'x-forwarded-for': ip },
    });
    await first[Symbol.asyncDispose]();

    const spooled = (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ndjson'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    expect(spooled).toContain('POST /offers/{offer_id}/pause');
    for (const secret of [key, key.slice(8, 40), 'hush', 'of-somebody', ip])
      expect(spooled).not.toContain(secret);

    wire.bringBack();
    open.use(await start());
    await eventually(async () =>
      expect(await allCalls()).toMatchObject([{ route: 'POST /offers/{offer_id}/pause', status: 503 }]),
    );
  });
});
