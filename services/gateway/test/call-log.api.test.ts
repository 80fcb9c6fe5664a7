import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/eventually';
import { silentLogger } from '@offer-ads/testing/logger';
import { startTcpProxy } from '@offer-ads/testing/tcp-proxy';
import { startGateway } from '../src/service.ts';
import { answerJson } from './fake-upstream.ts';
import { type GatewayUnderTest, randomIp, startGatewayUnderTest } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

/** A key of an organisation that nobody else uses, and how to read its log. */
async function freshKey(overrides: Record<string, unknown> = {}) {
  const organisationId = await gateway.register();
  const { id, key } = await gateway.createKey(organisationId, overrides);
  const calls = async () => {
    const { body } = await gateway.admin('GET', `/organisations/${organisationId}/calls`);
    return (body as { calls: Record<string, unknown>[] }).calls;
  };
  return { id, key, calls };
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
    const ip = randomIp();
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

describe('a gateway with a spool', () => {
  it('stops during an outage of the store, and the next one logs what it had answered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'call-spool-'));
    const wire = await startTcpProxy(gateway.databaseUrl);
    await using open = new AsyncDisposableStack();
    open.defer(() => rmSync(folder, { recursive: true }));
    open.use(wire);
    const { key, calls } = await freshKey();
    const start = () =>
      startGateway(
        { ...gateway.config, GATEWAY_DATABASE_URL: wire.url, CALL_SPOOL_FOLDER: folder },
        { logger: silentLogger, brokerNamespace: gateway.brokerNamespace },
      );
    const first = await start();
    wire.takeDown();
    const ip = randomIp();
    await fetch(`${first.url}/offers/4711/pause?token=hush`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'x-forwarded-for': ip },
    });
    await first[Symbol.asyncDispose]();

    const spooled = (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ndjson'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    expect(spooled).toContain('POST /offers/{offer_id}/pause');
    for (const secret of [key, key.slice(8, 40), 'hush', '4711', ip]) expect(spooled).not.toContain(secret);

    wire.bringBack();
    open.use(await start());
    await eventually(async () =>
      expect(await calls()).toMatchObject([{ route: 'POST /offers/{offer_id}/pause', status: 503 }]),
    );
  });
});
