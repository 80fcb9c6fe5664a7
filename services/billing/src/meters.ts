/** Metrics of billing, each starting at 0. Labels have few values, known beforehand, and contain no personal data. */
import { billedCurrencies } from '@offer-ads/contracts/values/currencies';
import { mode } from '@offer-ads/contracts/values/primitives';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { eventOutcomes, paymentOutcomes, reversalOutcomes } from './domain/payments/event-outcomes.ts';

export type Meters = ReturnType<typeof billingMeters>;

const modes = mode.options;
/** Up to three days, because Stripe retries that long. */
const delayBuckets = [1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400, 259_200];

export function billingMeters(metrics: Metrics) {
  const charged = metrics.counter({
    name: 'money_charged_minor_units_total',
    help: 'Money taken for offers, groups of offers and top-ups, in minor units of the currency: VAT included for cards; balances pay none',
    labelNames: ['mode', 'currency', 'method', 'purchase'],
    from0: {
      mode: modes,
      currency: billedCurrencies,
      method: ['card'],
      purchase: ['offer', 'group', 'top-up'],
    },
  });
  for (const each of modes)
    for (const currency of billedCurrencies)
      for (const purchase of ['offer', 'group'])
        charged.inc({ mode: each, currency, method: 'balance', purchase }, 0);
  return {
    charged,
    webhooks: metrics.counter({
      name: 'stripe_webhooks_total',
      help: 'Webhooks of Stripe, by outcome; `failed` could not be applied and will come again, `unreadable` waits for a person',
      labelNames: ['outcome'],
      from0: { outcome: ['unsigned', 'wrong-mode', 'unreadable', 'failed', ...eventOutcomes] },
    }),
    webhookDelay: metrics.histogram({
      name: 'stripe_webhook_delay_seconds',
      help: 'Time from an event at Stripe until its webhook was applied',
      buckets: delayBuckets,
    }),
    payments: metrics.counter({
      name: 'card_payments_total',
      help: 'Card payments reported by Stripe, by outcome',
      labelNames: ['outcome'],
      from0: { outcome: paymentOutcomes },
    }),
    reversals: metrics.counter({
      name: 'card_reversals_total',
      help: 'News of refunds and disputes at the card provider, by kind, mode and outcome',
      labelNames: ['kind', 'mode', 'outcome'],
      from0: { kind: ['refund', 'dispute'], mode: modes, outcome: reversalOutcomes },
    }),
    missedPayments: metrics.counter({
      name: 'stripe_missed_payments_total',
      help: 'Payments found by asking about their sessions, whose webhook had not come',
      labelNames: ['mode'],
      from0: { mode: modes },
    }),
    missedEvents: metrics.counter({
      name: 'stripe_missed_events_total',
      help: 'Events found in Stripe’s list whose webhook had not come, by mode',
      labelNames: ['mode'],
      from0: { mode: modes },
    }),
    unappliedEvents: metrics.counter({
      name: 'stripe_unapplied_events_total',
      help: 'Events of Stripe, by webhook or from its list, that cannot be applied and wait for a person',
      labelNames: ['mode'],
      from0: { mode: modes },
    }),
    readUpTo: metrics.gauge({
      name: 'stripe_events_read_up_to_timestamp_seconds',
      help: 'Up to when Stripe’s list of events has been read; exported by the replica that read it last',
      labelNames: ['mode'],
    }),
  };
}
