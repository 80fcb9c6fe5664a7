/** Prometheus metrics of one service instance. Each has its own registry, so that tests run several in one process. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

type Instrument = { readonly name: string; readonly help: string; readonly labelNames?: readonly string[] };

/** Label values whose combinations all start at 0. They are few and fixed, never ids or texts. */
type From0 = Readonly<Record<string, readonly string[]>>;

export type Metrics = {
  readonly registry: Registry;
  /**
   * A second call with the same name returns the same instrument.
   * @param from0 series that start at 0: Prometheus sees no increase in a series that begins with 1
   */
  readonly counter: (o: Instrument & { readonly from0?: From0 }) => Counter;
  readonly gauge: (o: Instrument) => Gauge;
  readonly histogram: (
    o: Instrument & { readonly buckets?: readonly number[]; readonly from0?: From0 },
  ) => Histogram;
  /** A gauge that is measured at every scrape by all registered `read` functions. `read` is quick and sets the current value. */
  readonly readGauge: (o: Instrument, read: (gauge: Gauge) => void) => void;
};

/** In seconds: from a cached look-up to the 25 s that a creation may take. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const once = <T>(name: string, create: () => T): T =>
    (registry.getSingleMetric(name) as T | undefined) ?? create();
  const settings = (o: Instrument) => ({
    name: o.name,
    help: o.help,
    labelNames: [...(o.labelNames ?? [])],
    registers: [registry],
  });
  const readers = new Map<string, ((gauge: Gauge) => void)[]>();
  return {
    registry,
    counter: (o) => {
      const counter = once(o.name, () => new Counter(settings(o)));
      if (o.from0 !== undefined) for (const labels of everyCombination(o.from0)) counter.inc(labels, 0);
      return counter;
    },
    gauge: (o) => once(o.name, () => new Gauge(settings(o))),
    histogram: (o) => {
      const buckets = [...(o.buckets ?? durationBuckets)];
      const histogram = once(o.name, () => new Histogram({ ...settings(o), buckets }));
      if (o.from0 !== undefined) for (const labels of everyCombination(o.from0)) histogram.zero(labels);
      return histogram;
    },
    readGauge: (o, read) => {
      const known = readers.get(o.name);
      if (known !== undefined) return void known.push(read);
      const all = [read];
      readers.set(o.name, all);
      const gauge: Gauge = new Gauge({
        ...settings(o),
        collect: () => {
          for (const one of all) one(gauge);
        },
      });
    },
  };
}

function everyCombination(values: From0): readonly Readonly<Record<string, string>>[] {
  let all: Readonly<Record<string, string>>[] = [{}];
  for (const [name, of] of Object.entries(values))
    all = all.flatMap((labels) => of.map((value) => Object.assign({}, labels, { [name]: value })));
  return all;
}
