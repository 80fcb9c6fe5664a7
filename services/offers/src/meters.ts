/** Metrics of the business, each starting at 0, without data about persons or organisations. */
import { mode, paymentMethod } from '@offer-ads/contracts/values/primitives';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';

export type Meters = ReturnType<typeof offersMeters>;

export function offersMeters(metrics: Metrics) {
  const perOffer = {
    labelNames: ['mode', 'method'],
    from0: { mode: mode.options, method: paymentMethod.options },
  };
  return {
    created: metrics.counter({
      name: 'offers_created_total',
      help: 'Offers created, by mode and payment method (E: card, B: prepaid balance)',
      ...perOffer,
    }),
    paid: metrics.counter({
      name: 'offers_paid_total',
      help: 'Offers whose payment was applied, by mode and payment method',
      ...perOffer,
    }),
    traffic: metrics.counter({
      name: 'traffic_events_total',
      help: 'Views and clicks received, by outcome; `outside`: without an offer, or from a time when it was not shown',
      labelNames: ['kind', 'outcome'],
      from0: { kind: ['view', 'click'], outcome: ['taken', 'repeated', 'outside'] },
    }),
  };
}
