/** The set-up of Postgres in docker-compose.yml and the overlay dev, on a real server: each user reaches only its own database. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repository } from '@offer-ads/dev/start/folder';
import { postgresSetUp } from '@offer-ads/k8s/checks/store-users';
import { migrate } from '@offer-ads/platform/postgres/migrations';
import { requireAddress } from '@offer-ads/testing/config';
import pg from 'pg';

const services = ['gateway', 'offers', 'billing'] as const;
/** Users and databases belong to the server, which other tests use too. */
const run = randomUUID().slice(0, 8);
const own = (name: string) => `${name}_${run}`;
const forPublic = 'REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC;\n';

/** Runs the script as psql does: `\gexec` runs the result of its line as statements. */
async function runAsPsql(script: string): Promise<void> {
  await using server = await connect(requireAddress('postgres'));
  for (const line of script.trim().split('\n')) {
    const [, question] = /^(.*) \\gexec$/.exec(line) ?? [];
    if (question === undefined) await server.query(line);
    else
      for (const row of (await server.query<Record<string, string>>(question)).rows)
        for (const statement of Object.values(row)) await server.query(statement);
  }
}

async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

const password = (user: string) => `word-${services.findIndex((name) => name === user)}`;
const whole = postgresSetUp((_key, user) => password(user));
const script = whole.replace(forPublic, '').replaceAll(/\b(gateway|offers|billing)\b/g, own('$1'));

function urlOf(user: string, database: string): string {
  const url = new URL(requireAddress('postgres'));
  return Object.assign(url, { username: own(user), password: password(user), pathname: `/${own(database)}` })
    .href;
}

beforeAll(() => runAsPsql(script));
afterAll(async () => {
  await using server = await connect(requireAddress('postgres'));
  for (const name of services) await server.query(`DROP DATABASE IF EXISTS ${own(name)} WITH (FORCE)`);
  for (const name of services) await server.query(`DROP ROLE IF EXISTS ${own(name)}`);
});

describe.each(services)('the user of %s', (user) => {
  it('migrates its own database', async () => {
    const directory = join(repository, 'services', user, 'migrations');
    await migrate({ url: urlOf(user, user), directory });
    await using client = await connect(urlOf(user, user));
    const { rows } = await client.query(
      `SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'`,
    );
    expect(rows).toEqual([{ tableowner: own(user) }]);
  });

  it.each(services.filter((name) => name !== user))('cannot connect to the database of %s', async (other) => {
    await expect(connect(urlOf(user, other))).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining('permission denied for database'),
    });
  });

  it('has no rights on the server', async () => {
    await using client = await connect(urlOf(user, user));
    for (const statement of [
      'CREATE DATABASE another',
      'CREATE ROLE another',
      `SET ROLE ${own(services.find((name) => name !== user)!)}`,
    ])
      await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('the script', () => {
  it('lets nobody into the databases that come with the server', () => {
    expect(whole).toContain(forPublic);
  });

  it('may be repeated: data stay, and passwords change to the new ones', async () => {
    const passwords = async () => {
      await using server = await connect(requireAddress('postgres'));
      const { rows } = await server.query('SELECT rolpassword FROM pg_authid WHERE rolname = $1', [
        own('offers'),
      ]);
      return rows as { rolpassword: string }[];
    };
    await using client = await connect(urlOf('offers', 'offers'));
    await client.query('CREATE TABLE kept ()');
    const before = await passwords();
    await runAsPsql(script.replaceAll("'word-", "'another-"));
    expect(await passwords()).not.toEqual(before);
    expect((await client.query('SELECT FROM kept')).rowCount).toBe(0);
    await runAsPsql(script);
  });
});
