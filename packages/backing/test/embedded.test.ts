import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { MongoClient } from 'mongodb';
import pg from 'pg';
import type { Backing } from '../src/backing.ts';
import { removeFolder } from '../src/data-folder.ts';
import { isAlive, type ProcessIdentity } from '../src/process-identity.ts';
import { answers } from '../src/stores.ts';

// On a busy machine RabbitMQ may take 70 seconds to start, and it starts twice.
const TIMEOUT_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'embedded-backing-'));
const holders: ChildProcess[] = [];
afterAll(() => {
  for (const holder of holders) holder.kill('SIGTERM');
  removeFolder(folder);
});

async function hold(): Promise<{ holder: ChildProcess; addresses: Backing }> {
  const holder = spawn(process.execPath, [join(import.meta.dirname, 'hold-backing.ts'), folder], {
    // At this address is no Docker, so the servers are always embedded.
    env: { ...process.env, DOCKER_HOST: 'tcp://127.0.0.1:1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  holders.push(holder);
  const [line] = await Promise.race([once(holder.stdout, 'data'), failureOf(holder)]);
  return { holder, addresses: JSON.parse(String(line)) as Backing };
}

async function failureOf(holder: ChildProcess): Promise<never> {
  await once(holder, 'exit');
  throw new Error('the backing services did not start');
}

function recordedServers(): ProcessIdentity[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.server.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ProcessIdentity);
}

async function inPostgres<R>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function cats<T>(
  url: string,
  work: (cats: ReturnType<ReturnType<MongoClient['db']>['collection']>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(url);
  try {
    return await work(client.db('zoo').collection('cats'));
  } finally {
    await client.close();
  }
}

describe('embedded backing services', () => {
  it(
    'start with their data after their owner was killed, and do not run after an orderly stop',
    async () => {
      const killed = await hold();
      await inPostgres(killed.addresses.postgresUrl, 'CREATE TABLE cats AS SELECT 1 AS id');
      await cats(killed.addresses.mongoUrl, (cats) => cats.insertOne({ name: 'Tom' }));
      const leftRunning = recordedServers();
      expect(leftRunning).toHaveLength(5);
      killed.holder.kill('SIGKILL');
      await once(killed.holder, 'exit');

      const next = await hold();
      expect(leftRunning.filter(isAlive)).toEqual([]);
      expect(await inPostgres(next.addresses.postgresUrl, 'SELECT id FROM cats')).toEqual([{ id: 1 }]);
      expect(await cats(next.addresses.mongoUrl, (cats) => cats.countDocuments())).toBe(1);
      await eventually(() => answers.rabbitmq(next.addresses.rabbitmqUrl));
      await eventually(() => answers.valkey(next.addresses.valkeyUrl ?? ''));

      const running = recordedServers();
      next.holder.kill('SIGTERM');
      expect(await once(next.holder, 'exit')).toEqual([0, null]);
      expect(running.filter(isAlive)).toEqual([]);
      expect(recordedServers()).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
