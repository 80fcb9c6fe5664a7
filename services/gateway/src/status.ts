/** Probes everything that the gateway depends on: rarely, in parallel, each with its own deadline. */
import type { Clock } from '@offer-ads/platform/process/clock';
import { within } from '@offer-ads/platform/process/within';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { type Check, type Status, statusAfter } from './domain/status.ts';

/** Rejects, or takes too long, if the dependency is down. */
export type Probe = (signal: AbortSignal) => Promise<void>;

export type ReadStatus = () => Promise<Status>;

const probeMs = 1_000;
/** However many callers ask, the dependencies are not probed more often. */
const keptForMs = 2_000;

export function watchDependencies(o: {
  probes: Readonly<Record<string, Probe>>;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  elapsedMs?: (() => number) | undefined;
}): ReadStatus {
  const elapsedMs = o.elapsedMs ?? (() => performance.now());
  let previous: Status | null = null;
  let latest: { readonly startedAtMs: number; readonly status: Promise<Status> } | undefined;

  async function look(): Promise<Status> {
    const checks = await Promise.all(Object.entries(o.probes).map(([name, probe]) => check(name, probe)));
    previous = statusAfter(previous, checks, o.clock.now());
    return previous;
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

  function read(): Promise<Status> {
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
