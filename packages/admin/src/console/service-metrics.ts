/** Reads single gauges and counters from the Prometheus metrics of a service. */

export type Readings = {
  /** Undefined when the service does not export it. */
  readonly value: (name: string, labels?: Readonly<Record<string, string>>) => number | undefined;
};

export function readMetrics(text: string): Readings {
  const lines = text.split('\n');
  return {
    value: (name, labels = {}) => {
      const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      const line = lines.find(
        (line) =>
          (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
          wanted.every((part) => line.includes(part)),
      );
      const value = Number(line?.slice(line.lastIndexOf(' ') + 1));
      return Number.isFinite(value) ? value : undefined;
    },
  };
}
