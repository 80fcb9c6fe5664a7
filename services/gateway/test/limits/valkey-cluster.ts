/** A cluster of three masters on loopback, each with a third of the slots. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@offer-ads/backing/data-folder';
import { valkeyPlaces } from '@offer-ads/backing/embedded/embedded-valkey';
import { startProcess } from '@offer-ads/backing/embedded/server-process';
import { firstFound } from '@offer-ads/backing/find';
import { freePorts } from '@offer-ads/backing/free-port';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { Redis } from 'ioredis';

const slots = 16_384;
const masters = 3;

export type ValkeyNode = { readonly port: number; readonly pid: number; readonly client: Redis };
export type ValkeyCluster = AsyncDisposable & {
  readonly nodes: readonly ValkeyNode[];
  /** The addresses of two nodes; the client finds the third. */
  readonly url: string;
};

export async function startValkeyCluster(): Promise<ValkeyCluster> {
  await using starting = new AsyncDisposableStack();
  const place = await firstFound(valkeyPlaces(() => {}));
  if (!place.found) throw new Error('this test needs valkey-server or redis-server');
  const parent = mkdtempSync(join(tmpdir(), 'valkey-cluster-'));
  starting.defer(() => removeFolder(parent));
  const ports = await freePorts(2 * masters);
  const nodes: ValkeyNode[] = [];
  for (let index = 0; index < masters; index += 1) {
    const [port = 0, busPort = 0] = ports.slice(2 * index);
    const folder = join(parent, String(index));
    mkdirSync(folder);
    const client = new Redis(port, '127.0.0.1', { lazyConnect: true });
    client.on('error', () => {});
    const { pid, stop } = await startProcess({
      name: 'valkey',
      folder,
      command: place.value,
      args: Object.entries({
        '--bind': '127.0.0.1',
        '--port': `${port}`,
        '--dir': folder,
        '--save': '',
        '--cluster-enabled': 'yes',
        '--cluster-port': `${busPort}`,
        // A node that the test stops keeps its slots, and the others go on.
        '--cluster-node-timeout': '600000',
        '--cluster-require-full-coverage': 'no',
      }).flat(),
      stopSignal: 'SIGTERM',
      ready: async () => void (await client.ping()),
    });
    starting.defer(async () => {
      client.disconnect();
      process.kill(pid, 'SIGCONT');
      await stop();
    });
    nodes.push({ port, pid, client });
  }
  const [first] = nodes;
  for (const [index, { client, port }] of nodes.entries()) {
    const from = Math.ceil((index * slots) / masters);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, Math.ceil(((index + 1) * slots) / masters) - 1);
    await client.call('CONFIG', 'SET', 'cluster-announce-ip', '127.0.0.1');
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    if (index > 0) await first?.client.call('CLUSTER', 'MEET', '127.0.0.1', port, ports[2 * index + 1] ?? 0);
  }
  for (const { client } of nodes)
    await eventually(async () => {
      const info = String(await client.call('CLUSTER', 'INFO'));
      expectIncludes(info, [
        'cluster_state:ok',
        `cluster_slots_assigned:${slots}`,
        `cluster_size:${masters}`,
      ]);
    });
  const owned = starting.move();
  return {
    nodes,
    url: nodes
      .slice(0, 2)
      .map(({ port }) => `redis://127.0.0.1:${port}`)
      .join(','),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function expectIncludes(text: string, parts: readonly string[]): void {
  for (const part of parts) if (!text.includes(part)) throw new Error(`no ${part} in ${text}`);
}
