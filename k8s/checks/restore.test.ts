/** A restore applies the same system, restored to a moment. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repository } from '@offer-ads/dev/start/folder';
import type { Manifest } from '../render/patch.ts';
import { manifestsOf } from './overlays.ts';
import { type PodSpec, sampleSecrets } from './workloads.ts';

type Parameters = { readonly barmanObjectName: string; readonly serverName: string };
type Cluster = {
  readonly bootstrap: {
    readonly initdb?: object;
    readonly recovery: {
      readonly source: string;
      readonly owner: string;
      readonly secret: { readonly name: string };
      readonly recoveryTarget: { readonly targetTime: string };
    };
  };
  readonly externalClusters: readonly {
    readonly name: string;
    readonly plugin: { readonly parameters: Parameters };
  }[];
  readonly plugins: readonly {
    readonly name: string;
    readonly isWALArchiver: boolean;
    readonly parameters: Parameters;
  }[];
};

const before = manifestsOf('overlays/production/stores');
const restored = manifestsOf('overlays/production/restore');
const keyOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
const find = (manifests: readonly Manifest[], key: string) => manifests.find((one) => keyOf(one) === key)!;
const clusterOf = (manifests: readonly Manifest[]) => find(manifests, 'Cluster postgres').spec as Cluster;
const cluster = clusterOf(restored);

type Job = { readonly template: { readonly spec: PodSpec } };
const settingsOf = ({ template }: Job): Readonly<Record<string, string | undefined>> => {
  const { initContainers = [], containers } = template.spec;
  const settings = [...initContainers, ...containers].flatMap(({ env = [] }) => env);
  return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
};

describe('the restored cluster of Postgres', () => {
  it('keeps its policies, addresses, secrets, backups and metrics', () => {
    const changed = new Set(['Cluster postgres', 'MongoDBCommunity mongo']);
    const others = (manifests: readonly Manifest[]) => manifests.filter((one) => !changed.has(keyOf(one)));
    const added = others(restored).filter((one) => find(before, keyOf(one)) === undefined);
    expect(added.map(keyOf)).toEqual(['ExternalSecret mongo-restore']);
    expect(others(restored).filter((one) => !added.includes(one))).toEqual(others(before));
  });

  it('is created from the backup of the old one, to a moment in the format of Postgres', () => {
    const { recovery, initdb } = cluster.bootstrap;
    expect(initdb).toBeUndefined();
    const source = cluster.externalClusters.find(({ name }) => name === recovery.source)!;
    expect(source.plugin.parameters).toEqual(clusterOf(before).plugins[0]!.parameters);
    expect(recovery.recoveryTarget.targetTime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d$/);
    expect(sampleSecrets[recovery.secret.name]?.username).toBe(recovery.owner);
  });

  it('archives its WAL under a new name, so that the backup of the old one stays as it is', () => {
    const [plugin] = cluster.plugins;
    expect(plugin).toMatchObject({ isWALArchiver: true });
    expect(plugin!.parameters.barmanObjectName).toBe(
      clusterOf(before).plugins[0]!.parameters.barmanObjectName,
    );
    expect(plugin!.parameters.serverName).not.toBe(clusterOf(before).plugins[0]!.parameters.serverName);
  });

  it('is otherwise like the old one', () => {
    const rest = (of: Cluster) => ({ ...of, bootstrap: null, externalClusters: null, plugins: null });
    expect(rest(cluster)).toEqual(rest(clusterOf(before)));
  });
});

describe('the restore of MongoDB', () => {
  it('reads a dump from where the nightly job writes it: the same folder, endpoint and region', () => {
    const job = find(manifestsOf('overlays/production/restore/mongo'), 'Job mongo-restore').spec as Job;
    const nightly = find(before, 'CronJob mongo-backup').spec as { jobTemplate: { spec: Job } };
    const [download, upload] = [settingsOf(job), settingsOf(nightly.jobTemplate.spec)];
    expect(download.ARCHIVE).toMatch(new RegExp(`^${upload.FOLDER}/[^/]+\\.tar$`));
    expect(download.S3_ENDPOINT).toBe(upload.S3_ENDPOINT);
    expect(download.AWS_DEFAULT_REGION).toBe(upload.AWS_DEFAULT_REGION);
  });
});

/** Where mongodump can be had, trials/restore/mongo-backup.test.ts runs the commands themselves. */
describe('the backups of each night', () => {
  const mongo = (manifests: readonly Manifest[]) =>
    find(manifests, 'MongoDBCommunity mongo').spec as {
      readonly users: readonly { readonly name: string; readonly roles: readonly object[] }[];
      readonly security: { readonly roles?: readonly { readonly role: string }[] };
    };
  const rolesOf = (manifests: readonly Manifest[], user: string) =>
    mongo(manifests).users.find(({ name }) => name === user)?.roles;
  const commandsOf = ({ template }: Job) => {
    const { initContainers = [], containers } = template.spec;
    return [...initContainers, ...containers].flatMap(({ command = [] }) => command).join('\n');
  };
  const nightly = (find(before, 'CronJob mongo-backup').spec as { jobTemplate: { spec: Job } }).jobTemplate;

  it('dump MongoDB with the writes that happen meanwhile, and a restore replays them', () => {
    expect(commandsOf(nightly.spec)).toMatch(/^ *mongodump (?!.*--(?:db|collection)).*--oplog /m);
    const job = find(manifestsOf('overlays/production/restore/mongo'), 'Job mongo-restore').spec as Job;
    expect(commandsOf(job)).toMatch(/^ *mongorestore .*--oplogReplay /m);
  });

  it('dump MongoDB as a user who may read everything; only a restore has a user who may replay', () => {
    const role = (name: string) => ({ name, db: 'admin' });
    expect(rolesOf(before, 'backup')).toEqual([role('backup')]);
    expect(rolesOf(before, 'restore')).toBeUndefined();
    expect(rolesOf(restored, 'restore')).toEqual([role('restore'), role('replay')]);
    expect(mongo(restored).security.roles).toEqual([expect.objectContaining({ role: 'replay' })]);
  });

  it('are made of Postgres and go where its WAL goes', () => {
    const spec = find(before, 'ScheduledBackup postgres').spec;
    expect(spec).not.toHaveProperty('suspend', true);
    expect(spec).toMatchObject({
      schedule: expect.stringMatching(/^0 \d+ \d+ \* \* \*$/),
      cluster: { name: 'postgres' },
      method: 'plugin',
      pluginConfiguration: { name: clusterOf(before).plugins[0]!.name },
    });
  });
});

describe('the guide', () => {
  const guide = readFileSync(join(repository, 'docs/operations/backup-and-restore.md'), 'utf8');

  it('applies folders that exist, among them both folders of the restore', () => {
    const applied = [...guide.matchAll(/(?:-k|kustomize) (k8s\/[\w/-]+)/g)].map(([, folder = '']) => folder);
    expect(applied).toEqual(
      expect.arrayContaining(['k8s/overlays/production/restore', 'k8s/overlays/production/restore/mongo']),
    );
    expect(applied.filter((folder) => !existsSync(join(repository, folder, 'kustomization.yaml')))).toEqual(
      [],
    );
  });
});
