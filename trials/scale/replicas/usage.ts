/** What replicas use: connections of Postgres, memory and processor time (Linux). */
import { readFileSync } from 'node:fs';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { type PostgresService, postgresServices } from '@offer-ads/dev/start/stores';
import { cpuMsOf } from '../../../bench/cpu.ts';
import { query } from '../../harness/sql.ts';
import type { System } from '../../harness/system.ts';

type Watched = Pick<System, 'stores' | 'replicas' | 'pidOf'>;

/** Server connections of each service's database now. */
export async function connectionsOf({
  stores,
}: Pick<Watched, 'stores'>): Promise<Record<PostgresService, number>> {
  const counts = postgresServices.map(async (service) => {
    const [row] = await query<{ connections: number }>(
      stores.databases[service],
      `SELECT count(*)::int AS connections FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    return [service, row?.connections ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(counts)) as Record<PostgresService, number>;
}

/** The largest of each. */
export function most(one: Record<PostgresService, number>, other: Record<PostgresService, number>) {
  return Object.fromEntries(
    postgresServices.map((service) => [service, Math.max(one[service], other[service])]),
  ) as Record<PostgresService, number>;
}

/** Of all replicas of each service together, with the processes that they started. */
export function processorMsOf(system: Watched): Record<ServiceName, number> {
  return eachService(system, cpuMsOf);
}

/** Memory in bytes; what processes share is divided between them ("Pss"). */
export function memoryOf(system: Watched): Record<ServiceName, number> {
  return eachService(system, memoryOfTree);
}

function eachService({ replicas, pidOf }: Watched, of: (pid: number) => number): Record<ServiceName, number> {
  return Object.fromEntries(
    serviceNames.map((service) => [
      service,
      replicas.of(service).reduce((sum, { name }) => sum + of(pidOf(name)), 0),
    ]),
  ) as Record<ServiceName, number>;
}

function memoryOfTree(pid: number): number {
  try {
    const kilobytes = /^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const below = children === '' ? [] : children.split(' ').map((child) => memoryOfTree(Number(child)));
    return below.reduce((sum, each) => sum + each, 1_024 * Number(kilobytes ?? 0));
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
