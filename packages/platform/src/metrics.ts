/** Prometheus metrics of one service instance: a registry of its own, so that tests run many side by side. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

type Instrument = { readonly name: string; readonly help: string; readonly labelNames?: readonly string[] };

export type Metrics = {
  readonly registry: Registry;
  /** Each gives the same instrument again when it is asked for twice under one name. */
  readonly counter: (o: Instrument) => Counter;
  readonly gauge: (o: Instrument) => Gauge;
  readonly histogram: (o: Instrument & { readonly buckets?: readonly number[] }) => Histogram;
};

/** Seconds; from a cached look-up to the 25 s that a creation may take. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const once = <T>(name: string, create: () => T): T =>
    (registry.getSingleMetric(name) as T | undefined) ?? create();
  const settings = (o: Instrument) => ({
    name: o.name,
    help: o.help,
    labelNames: [...(o.labelNames ?? [])],
    registers: [registry],
  });
  return {
    registry,
    counter: (o) => once(o.name, () => new Counter(settings(o))),
    gauge: (o) => once(o.name, () => new Gauge(settings(o))),
    histogram: (o) =>
      once(o.name, () => new Histogram({ ...settings(o), buckets: [...(o.buckets ?? durationBuckets)] })),
  };
}
