/** Metrics of unsent notifications, for alerts. Every replica exports them, so they are available even if the others hang. */
import type { Clock } from '@offer-ads/platform/process/clock';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { RegisterStore } from './register-store.ts';

const everyMs = 30_000;

export function measureUnsent(o: {
  readonly register: Pick<RegisterStore, 'unsent'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): AsyncDisposable {
  const count = o.metrics.gauge({
    name: 'notifier_unsent_notifications',
    help: 'Notifications that have not gone out: pending, or waiting for a known recipient.',
    labelNames: ['state'],
  });
  const age = o.metrics.gauge({
    name: 'notifier_oldest_unsent_seconds',
    help: 'For how long the oldest pending notification has been to be sent.',
  });
  let dueSinceMs: number | undefined;
  const due = {
    name: 'notifier_oldest_due_age_seconds',
    help: 'Age of the oldest notification that is due and not being sent; 0 when there is none.',
  };
  o.metrics.readGauge(due, (gauge) =>
    gauge.set(dueSinceMs === undefined ? 0 : Math.max(0, o.clock.now().getTime() - dueSinceMs) / 1_000),
  );
  return startLoop({
    name: 'measure-unsent',
    everyMs,
    logger: o.logger,
    metrics: o.metrics,
    work: async () => {
      const { waiting, pending, oldest, oldestDue } = await o.register.unsent();
      count.set({ state: 'waiting' }, waiting);
      count.set({ state: 'pending' }, pending);
      const sinceMs = oldest === undefined ? 0 : o.clock.now().getTime() - oldest.getTime();
      age.set(Math.max(0, sinceMs) / 1_000);
      dueSinceMs = oldestDue?.getTime();
    },
  });
}
