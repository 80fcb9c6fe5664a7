import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { checkPeers } from './check.ts';
import type { Peer } from './peers/peers.ts';

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

const folder = opened.adopt(mkdtempSync(join(tmpdir(), 'bench-check-')), (it) =>
  rmSync(it, { recursive: true }),
);
const keysFile = join(folder, 'keys');
writeFileSync(keysFile, 'a key\n');

/** Like a replica of our gateway with a Valkey: 60 requests of a client over all replicas that have the same counts. */
async function startReplica(counts: Map<string, number>): Promise<Peer> {
  const server = createServer((req, res) => {
    if (req.headers['x-api-key'] !== 'a key') return void res.writeHead(401).end();
    const client = String(req.headers['x-forwarded-for']);
    counts.set(client, (counts.get(client) ?? 0) + 1);
    res.writeHead((counts.get(client) ?? 0) > 60 ? 429 : 200).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  opened.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { name: 'gateway-valkey', url, pid: 0, accessLog: '', keysFile, limits: true, isOurs: true };
}

test('two processes that count together in one store both pass', async () => {
  const upstream = createServer((_req, res) => void res.end('{}'));
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  opened.defer(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const counts = new Map<string, number>();
  const peers = [await startReplica(counts), await startReplica(counts)];
  const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await expect(checkPeers(peers, { upstreamUrl })).resolves.toBeUndefined();
});
