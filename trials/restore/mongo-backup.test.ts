/**
 * The commands of the CronJob mongo-backup and of the Job mongo-restore, on a real server that asks for passwords, with the users and roles
 * of the manifests. Where mongodump is not to be had they are skipped, and the run says so.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mongodPlaces } from '@offer-ads/backing/embedded/mongod-places';
import { startServer } from '@offer-ads/backing/embedded/server-process';
import { firstFound } from '@offer-ads/backing/find';
import { freePorts } from '@offer-ads/backing/free-port';
import { onPath } from '@offer-ads/backing/on-path';
import { manifestsOf } from '@offer-ads/k8s/checks/overlays';
import type { Container, PodSpec } from '@offer-ads/k8s/checks/workloads';
import { type Db, MongoClient } from 'mongodb';

type MongoSpec = {
  users: { name: string; roles: { name: string; db: string }[] }[];
  security: { roles: { role: string; privileges: object[] }[] };
};

const restore = manifestsOf('overlays/production/restore');
const { users, security } = restore.find(({ kind }) => kind === 'MongoDBCommunity')!.spec as MongoSpec;
const backupPod = (
  restore.find(({ kind, metadata }) => kind === 'CronJob' && metadata.name === 'mongo-backup')!.spec as {
    jobTemplate: { spec: { template: { spec: PodSpec } } };
  }
).jobTemplate.spec.template.spec;
const restorePod = (
  manifestsOf('overlays/production/restore/mongo').find(({ kind }) => kind === 'Job')!.spec as {
    template: { spec: PodSpec };
  }
).template.spec;

const hasTools = onPath('mongodump') !== undefined && onPath('mongorestore') !== undefined;
if (!hasTools)
  process.stderr.write(
    'no mongodump on PATH: the drill of the backup of MongoDB is skipped (docs/operations/backup-and-restore.md)\n',
  );

(hasTools ? describe : describe.skip)('the backup of MongoDB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mongo-backup-'));
  const opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(folder, { recursive: true }));
  const passwords = { root: 'of-root', backup: 'of-backup', restore: 'of-restore' };
  let host: string;
  const urlOf = (user: keyof typeof passwords) =>
    `mongodb://${user}:${passwords[user]}@${host}/?directConnection=true&authSource=admin`;

  beforeAll(async () => {
    const mongod = await firstFound(mongodPlaces(() => {}));
    if (!mongod.found) throw new Error('no mongod');
    const [port] = await freePorts(1);
    host = `127.0.0.1:${port}`;
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, 'k'.repeat(64));
    chmodSync(keyFile, 0o600);
    mkdirSync(join(folder, 'data'));
    const anonymous = () =>
      new MongoClient(`mongodb://${host}/?directConnection=true`, { serverSelectionTimeoutMS: 2_000 });
    const stop = await startServer({
      name: 'mongo',
      folder,
      command: mongod.value.command,
      env: mongod.value.env,
      args: `--replSet rs0 --auth --keyFile ${keyFile} --bind_ip 127.0.0.1 --port ${port} --nounixsocket --quiet --wiredTigerCacheSizeGB 0.25 --dbpath ${folder}/data`.split(
        ' ',
      ),
      stopSignal: 'SIGTERM',
      ready: async () => {
        await using client = await anonymous().connect();
        await client.db('admin').command({ ping: 1 });
      },
    });
    opened.defer(stop);
    await using client = await anonymous().connect();
    const admin = client.db('admin');
    await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
    while ((await admin.command({ hello: 1 })).isWritablePrimary !== true);
    await admin.command({ createUser: 'root', pwd: passwords.root, roles: ['root'] });
    await using asRoot = await new MongoClient(urlOf('root')).connect();
    for (const { role, privileges } of security.roles)
      await asRoot.db('admin').command({ createRole: role, privileges, roles: [] });
    for (const { name, roles } of users.filter((user) => user.name in passwords))
      await asRoot.db('admin').command({
        createUser: name,
        pwd: passwords[name as keyof typeof passwords],
        roles: roles.map(({ name: role, db }) => ({ role, db })),
      });
  }, 120_000);
  afterAll(() => opened.disposeAsync());

  /** The command as it stands in the manifest, with folders of this machine. */
  function commandOf({ command = [] }: Container, user: 'backup' | 'restore'): readonly [string, string[]] {
    const settings = join(folder, `${user}.yaml`);
    writeFileSync(settings, `uri: ${urlOf(user)}\n`);
    rmSync(join(folder, 'dump'), { recursive: true, force: true });
    const [program = '', ...words] = command.map((word) =>
      word.replaceAll(/(?<=--config=)\S+/g, settings).replaceAll('/backup/', `${folder}/`),
    );
    return [program, words];
  }

  function run(container: Container, user: 'backup' | 'restore') {
    const { status, stderr } = spawnSync(...commandOf(container, user), { encoding: 'utf8' });
    return { status, problem: status === 0 ? '' : stderr };
  }
  const fine = { status: 0, problem: '' };
  const dump = backupPod.initContainers![0]!;

  it('gives back what was there at its end, in every database, and nothing that came later', async () => {
    await using client = await new MongoClient(urlOf('root')).connect();
    const databases = ['pricing', 'moderation', 'notifier'].map((name) => client.db(name));
    for (const db of databases) {
      await db
        .collection<{ _id: number }>('things')
        .insertMany(Array.from({ length: 500 }, (_, n) => ({ _id: n, name: `${n}` })));
      await db.collection('things').createIndex({ name: 1 }, { unique: true });
    }
    expect(run(dump, 'backup')).toEqual(fine);
    for (const db of databases) {
      await db.collection('things').deleteMany({ name: /^1/ });
      await db.collection('things').insertOne({ name: 'later' });
    }
    await databases[0]!.dropDatabase();
    expect(run(restorePod.containers[0]!, 'restore')).toEqual(fine);
    for (const db of databases)
      expect(await stateOf(db)).toEqual({ things: 500, later: 0, indexes: ['_id_', 'name_1'] });
  });

  it('is all of one moment, also when it is written while it is read', async () => {
    await using client = await new MongoClient(urlOf('root')).connect();
    const db = client.db('notifier');
    await db.dropDatabase();
    await db.createCollection('first');
    await db.createCollection('second');
    const stopped = new AbortController();
    const writing = (async () => {
      for (let n = 0; !stopped.signal.aborted; n += 1)
        await client.withSession((session) =>
          session.withTransaction(async () => {
            await db.collection('first').insertOne({ n }, { session });
            await db.collection('second').insertOne({ n }, { session });
          }),
        );
    })();
    const dumped = await new Promise((resolve) =>
      spawn(...commandOf(dump, 'backup'), { stdio: 'ignore' }).on('exit', resolve),
    );
    stopped.abort();
    await writing;
    expect(dumped).toBe(0);
    expect(run(restorePod.containers[0]!, 'restore')).toEqual(fine);
    const count = (name: string) => db.collection(name).countDocuments();
    expect(await count('first')).toBeGreaterThan(0);
    expect(await count('first')).toBe(await count('second'));
  });

  it('is made by a user who can write nothing', async () => {
    await using client = await new MongoClient(urlOf('backup')).connect();
    await expect(client.db('pricing').collection('things').insertOne({})).rejects.toThrow('not authorized');
  });

  it('says nothing of the password in its command', () => {
    for (const { command = [] } of [dump, restorePod.containers[0]!])
      expect(command.join(' ')).not.toMatch(/uri|password|:\/\//);
  });
});

async function stateOf(db: Db) {
  const things = db.collection('things');
  return {
    things: await things.countDocuments({ name: { $ne: 'later' } }),
    later: await things.countDocuments({ name: 'later' }),
    indexes: (await things.indexes()).map(({ name }) => name),
  };
}
