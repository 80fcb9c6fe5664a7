/**
 * Probes everything that the gateway depends on: rarely, in parallel, each with its own deadline. Keeps a record of outages: what cannot be
 * stored, because the store itself is away, is stored later.
 */
import type { Clock } from '@offer-ads/platform/process/clock';
import { within } from '@offer-ads/platform/process/within';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import {
  type Check,
  type Dependency,
  type Outage,
  type Status,
  type StatusWithOutages,
  statusAfter,
} from './domain/status.ts';

/** Rejects, or takes too long, if the dependency is down. */
export type Probe = (signal: AbortSignal) => Promise<void>;

export type ReadStatus = () => Promise<StatusWithOutages>;

export type OutageRecord = {
  readonly save: (dependency: Dependency) => Promise<void>;
  readonly list: () => Promise<readonly Outage[]>;
};

const probeMs = 1_000;
/** However many callers ask, the dependencies are not probed more often. */
const keptForMs = 2_000;
/** Changes that wait to be stored; the oldest are lost first. */
const maxUnsaved = 100;

export function watchDependencies(o: {
  probes: Readonly<Record<string, Probe>>;
  outages: OutageRecord;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  elapsedMs?: (() => number) | undefined;
}): ReadStatus {
  const elapsedMs = o.elapsedMs ?? (() => performance.now());
  let previous: Status | null = null;
  let latest: { readonly startedAtMs: number; readonly status: Promise<StatusWithOutages> } | undefined;
  const unsaved: Dependency[] = [];
  let saving: Promise<void> | undefined;

  async function look(): Promise<StatusWithOutages> {
    const known = previous?.dependencies;
    const [checks, outages] = await Promise.all([
      Promise.all(Object.entries(o.probes).map(([name, probe]) => check(name, probe))),
      within(probeMs, o.outages.list(), () => null).catch(() => null),
    ]);
    const status = statusAfter(previous, checks, o.clock.now());
    previous = status;
    // At the start each is saved: another process may have begun an outage that is over.
    unsaved.push(...status.dependencies.filter(({ state }, at) => state !== known?.[at]?.state));
    unsaved.splice(0, unsaved.length - maxUnsaved);
    saving ??= saveAll().finally(() => {
      saving = undefined;
    });
    return { ...status, outages };
  }

  async function saveAll(): Promise<void> {
    for (let next = unsaved[0]; next !== undefined; next = unsaved[0]) {
      try {
        await o.outages.save(next);
      } catch (error) {
        o.logger.warn({ error }, 'the record of outages is not written, will be tried again');
        return;
      }
      if (unsaved[0] === next) unsaved.shift();
    }
  }

  async function check(name: string, probe: Probe): Promise<Check> {
    const startedAtMs = elapsedMs();
    // Also ends for a probe that ignores its signal.
    const failure = await within(probeMs, probe(AbortSignal.timeout(probeMs)), () => {
      throw new Error('did not answer in time');
    }).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const wasUp = previous?.dependencies.find((known) => known.name === name)?.state !== 'down';
    // Logged once; addresses and reasons are only in the log.
    if (failure !== undefined && wasUp)
      o.logger.warn({ dependency: name, error: failure.error }, 'dependency down');
    if (failure === undefined && !wasUp) o.logger.info({ dependency: name }, 'dependency back');
    return { name, up: failure === undefined, responseMs: Math.round(elapsedMs() - startedAtMs) };
  }

  function read(): Promise<StatusWithOutages> {
    const nowMs = elapsedMs();
    if (latest === undefined || nowMs - latest.startedAtMs >= keptForMs) {
      latest = { startedAtMs: nowMs, status: look() };
    }
    return latest.status;
  }

  o.metrics.readGauge(
    {
      name: 'dependency_up',
      help: '1 while a dependency answers, 0 while it does not.',
      labelNames: ['dependency'],
    },
    // Shows what the scrape before has found: a scrape does not wait for probes.
    (gauge) => {
      for (const { name, state } of previous?.dependencies ?? [])
        gauge.set({ dependency: name }, state === 'up' ? 1 : 0);
      void read();
    },
  );
  return read;
}

/** Ready as the service itself reports (`/readyz`). */
export function probeReadiness(baseUrl: string): Probe {
  return async (signal) => {
    const response = await fetch(`${baseUrl}/readyz`, { signal, redirect: 'error' });
    await response.body?.cancel();
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
  };
}

/** For a dependency that knows its own state. */
export function probeState(isUp: () => boolean | Promise<boolean>): Probe {
  return async () => {
    if (!(await isUp())) throw new Error('says that it is down');
  };
}

/** For a dependency whose metric says 1 (up) or 0 (down). */
export function probeGauge(metrics: Metrics, name: string): Probe {
  return probeState(async () => (await metrics.gauge({ name, help: '' }).get()).values[0]?.value === 1);
}
