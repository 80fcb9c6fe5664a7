/** Metrics of mails and webhooks that have not gone out, for alerts. Every replica exports them, so they are available even if the others hang. */
import type { Clock } from '@offer-ads/platform/process/clock';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { RegisterStore } from './register-store.ts';
import type { EndpointsStore } from './webhooks/endpoints-store.ts';

const everyMs = 30_000;

export function measureUnsent(o: {
  readonly register: Pick<RegisterStore, 'unsent'>;
  readonly endpoints: Pick<EndpointsStore, 'oldestWaiting'>;
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
  const dueAge = o.metrics.gauge({
    name: 'notifier_oldest_due_age_seconds',
    help: 'Age of the oldest notification that is due and not being sent; 0 when there is none.',
  });
  const webhookAge = o.metrics.gauge({
    name: 'notifier_oldest_waiting_webhook_age_seconds',
    help: 'For how long the endpoint that has waited longest has had a message to be sent; without failing endpoints.',
  });
  const secondsSince = (since: Date | undefined) =>
    since === undefined ? 0 : Math.max(0, o.clock.now().getTime() - since.getTime()) / 1_000;
  return startLoop({
    ...o,
    name: 'measure-unsent',
    everyMs,
    work: async () => {
      const { waiting, pending, oldest, oldestDue } = await o.register.unsent();
      count.set({ state: 'waiting' }, waiting);
      count.set({ state: 'pending' }, pending);
      age.set(secondsSince(oldest));
      dueAge.set(secondsSince(oldestDue));
      webhookAge.set(secondsSince(await o.endpoints.oldestWaiting()));
    },
  });
}
