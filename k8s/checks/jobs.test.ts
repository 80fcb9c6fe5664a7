/** Migrations and scheduled jobs run programs that their images contain. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { runAdmin } from '@offer-ads/admin/run';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { clusterAlerts } from '@offer-ads/deploy/monitoring/alerts';
import { readers } from '@offer-ads/deploy/settings/schemas';
import { readDatabaseUrl as readDatabaseUrlOfBilling } from '../../services/billing/src/config.ts';
import { readDatabaseUrl as readDatabaseUrlOfGateway } from '../../services/gateway/src/config.ts';
import { readDatabaseUrl as readDatabaseUrlOfOffers } from '../../services/offers/src/config.ts';
import { manifestsOf, overlays } from './overlays.ts';
import {
  type Container,
  checkEach,
  environmentOf,
  everyWorkload,
  type Workload,
  workload,
  workloadsOf,
} from './workloads.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
describe('Jobs', () => {
  const isOurs = ({ pod }: Workload) => pod.containers.every(({ image }) => image.includes('offer-ads/'));
  const jobs = everyWorkload().filter(
    ([, one]) => (one.kind === 'Job' || one.kind === 'CronJob') && isOurs(one),
  );

  it('run a program of their image', () => {
    checkEach(jobs, ({ pod }) => {
      const [{ image, command = [] }] = pod.containers as readonly [Container];
      const service = /\/([a-z]+)[:@]/.exec(image)?.[1] ?? '';
      const [node, file = ''] = command;
      expect(node).toBe('node');
      // The working folder of the image is that of the service (Dockerfile).
      const path = file.startsWith('/app/') ? file.slice('/app/'.length) : join('services', service, file);
      expect([path, existsSync(join(repository, path))]).toEqual([path, true]);
    });
  });

  it('migrate the database of their own service', () => {
    checkEach(
      jobs.filter(([name]) => name.includes('Job migrate-')),
      ({ name, pod }) => {
        const [{ image, env = [] }] = pod.containers as readonly [Container];
        const service = name.replace('migrate-', '');
        expect(image).toMatch(new RegExp(`/${service}[:@]`));
        expect(env.map((variable) => variable.name)).toEqual([`${service.toUpperCase()}_DATABASE_URL`]);
        expect(existsSync(join(repository, 'services', service, 'src/migrate.ts'))).toBe(true);
      },
    );
  });

  it('that run by a schedule are exactly those that the alert ScheduledJobFailed watches', () => {
    const scheduled = workloadsOf('production').flatMap(({ kind, name }) => (kind === 'CronJob' ? name : []));
    const { expr } = clusterAlerts.find(({ alert }) => alert === 'ScheduledJobFailed')!;
    const watched = [...expr.matchAll(/cronjob=~"([^"]+)"/g)].map(([, names = '']) => names.split('|'));
    expect(watched.length).toBeGreaterThan(1);
    for (const names of watched) expect(names.toSorted()).toEqual(scheduled.toSorted());
  });

  it('migrate every database that has migrations', () => {
    const withMigrations = serviceNames.filter((name) =>
      existsSync(join(repository, 'services', name, 'migrations')),
    );
    const migrated = workloadsOf('production')
      .filter(({ kind }) => kind === 'Job')
      .map(({ name }) => name);
    expect(migrated.toSorted()).toEqual(withMigrations.map((name) => `migrate-${name}`).toSorted());
    // The README waits for them by this label.
    for (const { kind, metadata } of manifestsOf('overlays/production/migrations'))
      if (kind === 'Job')
        expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/component': 'migration' });
  });

  it.each(overlays)('start with the settings that they get in the overlay %s', (overlay) => {
    const settingsOf: Readonly<Record<string, (env: NodeJS.ProcessEnv) => unknown>> = {
      'migrate-gateway': readDatabaseUrlOfGateway,
      'migrate-offers': readDatabaseUrlOfOffers,
      'migrate-billing': readDatabaseUrlOfBilling,
      'payments-check': readers.admin,
    };
    const ofOverlay = workloadsOf(overlay).filter(
      (one) => (one.kind === 'Job' || one.kind === 'CronJob') && isOurs(one),
    );
    expect(ofOverlay.map(({ name }) => name).toSorted()).toEqual(Object.keys(settingsOf).toSorted());
    for (const one of ofOverlay)
      expect(() => settingsOf[one.name]?.(environmentOf(overlay, one))).not.toThrow();
  });

  it('call a command that the admin tool has', async () => {
    const [{ command = [] }] = workload('production', 'payments-check').pod.containers as readonly [
      Container,
    ];
    const options = command.findIndex((word) => word.startsWith('--'));
    const words = command.slice(2, options);
    const said: string[] = [];
    const tools = () => {
      throw new Error('not needed');
    };
    await runAdmin([...words, '--help'], tools, {
      out: (line) => said.push(line),
      err: (line) => said.push(line),
    });
    expect(said.join('\n')).toMatch(new RegExp(`^${words.join(' ')}[ \\n]`));
  });
});
