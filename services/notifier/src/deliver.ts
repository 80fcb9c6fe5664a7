/** The delivery loops: claim what is due, send it, record what became of it. */
import type { Clock } from '@offer-ads/platform/clock';
import type { Logger } from '@offer-ads/platform/logging';
import { startLoop } from '@offer-ads/platform/loops';
import type { Metrics } from '@offer-ads/platform/metrics';
import { type Attempt, type Fate, fateOf } from './domain/delivery.ts';
import type { Mailer } from './mailer.ts';
import type { Claimed, NotificationsStore } from './notifications-store.ts';

export type Delivery = AsyncDisposable & { readonly wake: () => void };

/** For what became due by time alone; new notifications wake the loops themselves. */
const pollEveryMs = 1_000;

/** Each lane goes its own way, so that one slow mailbox holds up one lane only. */
export function startDelivery(o: {
  readonly lanes: number;
  readonly notifications: NotificationsStore;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Delivery {
  const attempts = o.metrics.counter({
    name: 'notifier_delivery_attempts_total',
    help: 'Attempts to deliver a notification, by event and by the state that they led to.',
    labelNames: ['event', 'state'],
  });

  async function deliver(claimed: Claimed): Promise<void> {
    const fate = await fateAfterAttempt(claimed);
    // Killed between the attempt and this line, the mail goes out once more after the lease, with the same Message-ID:
    // SMTP has no way to ask whether a message was taken.
    await o.notifications.record(claimed, fate, o.clock.now());
    attempts.inc({ event: claimed.eventName, state: fate.state });
    // Neither recipient nor server text: addresses and links are no business of the log.
    const facts = { event: claimed.eventName, state: fate.state, attempts: claimed.attempts };
    o.logger[fate.state === 'failed' ? 'error' : 'info'](facts, 'delivery of a notification');
  }

  async function fateAfterAttempt(claimed: Claimed): Promise<Fate> {
    if (claimed.expiresAt !== undefined && claimed.expiresAt <= o.clock.now())
      return { state: 'failed', problem: 'expired before it could be delivered' };
    const attempt: Attempt = await o.mailer.send(claimed);
    return fateOf(attempt, { ...claimed, now: o.clock.now() });
  }

  const lanes = Array.from({ length: o.lanes }, (_, lane) =>
    startLoop({
      name: `delivery-${lane + 1}`,
      everyMs: pollEveryMs,
      logger: o.logger,
      metrics: o.metrics,
      work: async (signal) => {
        while (!signal.aborted) {
          const claimed = await o.notifications.claim(o.clock.now());
          if (claimed === undefined) return;
          await deliver(claimed);
        }
      },
    }),
  );

  return {
    wake: () => {
      // A failed run is logged by the loop and repeated by its poll.
      for (const lane of lanes) lane.runNow().catch(() => {});
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(lanes.map((lane) => lane[Symbol.asyncDispose]()));
    },
  };
}
