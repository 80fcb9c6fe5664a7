/** Production with the component pgbouncer. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { repository } from '@offer-ads/dev/start/folder';
import type { Manifest } from '../render/patch.ts';
import { render } from '../render/render.ts';
import { faultsOf } from '../render/schemas.ts';
import { manifestsOf } from './overlays.ts';
import { type ExternalSecret, secretData } from './secrets.ts';
import { pgbouncerUsers } from './store-users.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
afterAll(() => rmSync(folder, { recursive: true }));
for (const part of ['deploy/k8s', 'deploy/monitoring'])
  cpSync(join(repository, part), join(folder, part), { recursive: true });
const file = join(folder, 'deploy/k8s/overlays/production/kustomization.yaml');
const component = '  - ../../components/pgbouncer\n';
writeFileSync(file, readFileSync(file, 'utf8').replace(/^components:\n/m, `$&${component}`));

const key = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name.replace(/-[a-z0-9]{10}$/, '')}`;
const before = new Set(manifestsOf('overlays/production').map(key));
const after = render('overlays/production', join(folder, 'deploy/k8s'));
const added = after.filter((one) => !before.has(key(one)));
const settings = readFileSync(join(repository, 'deploy/k8s/components/pgbouncer/pgbouncer.ini'), 'utf8');
const setting = (name: string) => Number(new RegExp(`^${name} = (\\d+)$`, 'm').exec(settings)?.[1]);

describe('production with PgBouncer', () => {
  it('has only objects that a cluster knows', () => {
    expect(added.map(key).toSorted()).toEqual([
      'ConfigMap pgbouncer',
      'Deployment pgbouncer',
      'ExternalSecret pgbouncer',
      'NetworkPolicy pgbouncer',
      'NetworkPolicy postgres-from-pgbouncer',
      'NetworkPolicy services-to-pgbouncer',
      'PodDisruptionBudget pgbouncer',
      'Service pgbouncer',
      'ServiceAccount pgbouncer',
    ]);
    expect(added.flatMap((manifest) => faultsOf(manifest))).toEqual([]);
  });

  it('tells the services that have a database in Postgres to call it', () => {
    const told = after.flatMap(({ kind, metadata, data }) =>
      kind === 'ConfigMap' && (data as { PGBOUNCER?: string }).PGBOUNCER === 'pgbouncer:6432'
        ? metadata.name.replace(/-[a-z0-9]{10}$/, '')
        : [],
    );
    expect(told.toSorted()).toEqual(['billing', 'gateway', 'offers']);
  });

  it('has the users of these services', () => {
    const external = added.find(({ kind }) => kind === 'ExternalSecret') as ExternalSecret;
    const words = (path: string, property: string) => `${path}/${property}`;
    const users = secretData(external, words);
    expect(users['pgbouncer-users.txt']).toBe(pgbouncerUsers(words));
  });

  it('lets twenty replicas of each of them connect, also while all are replaced, with 100 connections of Postgres', () => {
    const { replicas, strategy } = added.find(({ kind }) => kind === 'Deployment')!.spec as {
      replicas: number;
      strategy: object;
    };
    expect(strategy).toMatchObject({ rollingUpdate: { maxSurge: 0 } });
    expect(replicas * 3 * setting('max_db_connections') + 20).toBeLessThanOrEqual(100);
    expect(2 * 20 * (15 + 10 + 10)).toBeLessThanOrEqual(setting('max_client_conn'));
  });
});
