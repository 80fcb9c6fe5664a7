/** What a restore applies to the cluster is the same system, put back to a moment. */
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
  readonly plugins: readonly { readonly isWALArchiver: boolean; readonly parameters: Parameters }[];
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
  it('has everything around it that it had before: policies, addresses, secrets, backups and metrics', () => {
    const changed = new Set(['Cluster postgres', 'MongoDBCommunity mongo']);
    const others = (manifests: readonly Manifest[]) => manifests.filter((one) => !changed.has(keyOf(one)));
    const added = others(restored).filter((one) => find(before, keyOf(one)) === undefined);
    expect(added.map(keyOf)).toEqual(['ExternalSecret mongo-restore']);
    expect(others(restored).filter((one) => !added.includes(one))).toEqual(others(before));
  });

  it('is made from the backup of the one before, to a moment that Postgres understands', () => {
    const { recovery, initdb } = cluster.bootstrap;
    expect(initdb).toBeUndefined();
    const source = cluster.externalClusters.find(({ name }) => name === recovery.source)!;
    expect(source.plugin.parameters).toEqual(clusterOf(before).plugins[0]!.parameters);
    expect(recovery.recoveryTarget.targetTime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d$/);
    expect(sampleSecrets[recovery.secret.name]?.username).toBe(recovery.owner);
  });

  it('archives its WAL under a name of its own, so that the backup of the one before stays as it is', () => {
    const [plugin] = cluster.plugins;
    expect(plugin).toMatchObject({ isWALArchiver: true });
    expect(plugin!.parameters.barmanObjectName).toBe(
      clusterOf(before).plugins[0]!.parameters.barmanObjectName,
    );
    expect(plugin!.parameters.serverName).not.toBe(clusterOf(before).plugins[0]!.parameters.serverName);
  });

  it('is otherwise the one before', () => {
    const rest = (of: Cluster) => ({ ...of, bootstrap: null, externalClusters: null, plugins: null });
    expect(rest(cluster)).toEqual(rest(clusterOf(before)));
  });
});

describe('the restore of MongoDB', () => {
  it('asks for a dump where the nightly job puts it: the same folder, endpoint and region', () => {
    const job = find(manifestsOf('overlays/production/restore/mongo'), 'Job mongo-restore').spec as Job;
    const nightly = find(before, 'CronJob mongo-backup').spec as { jobTemplate: { spec: Job } };
    const [download, upload] = [settingsOf(job), settingsOf(nightly.jobTemplate.spec)];
    expect(download.ARCHIVE).toMatch(new RegExp(`^${upload.FOLDER}/[^/]+\\.tar$`));
    expect(download.S3_ENDPOINT).toBe(upload.S3_ENDPOINT);
    expect(download.AWS_DEFAULT_REGION).toBe(upload.AWS_DEFAULT_REGION);
  });
});

describe('the guide', () => {
  const guide = readFileSync(join(repository, 'docs/operations/backup-and-restore.md'), 'utf8');

  it('applies folders that are there, the restore and its dump of MongoDB among them', () => {
    const applied = [...guide.matchAll(/(?:-k|kustomize) (deploy\/k8s\/[\w/-]+)/g)].map(
      ([, folder = '']) => folder,
    );
    expect(applied).toEqual(
      expect.arrayContaining([
        'deploy/k8s/overlays/production/restore',
        'deploy/k8s/overlays/production/restore/mongo',
      ]),
    );
    expect(applied.filter((folder) => !existsSync(join(repository, folder, 'kustomization.yaml')))).toEqual(
      [],
    );
  });
});
