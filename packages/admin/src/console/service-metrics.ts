/** Reads single gauges and counters from the Prometheus metrics of a service. */

type Labels = Readonly<Record<string, string>>;

export type Readings = {
  /** Of the first series with these labels. Undefined when the service does not export it. */
  readonly value: (name: string, labels?: Labels) => number | undefined;
  /** Of all series with these labels. Empty when the service exports none. */
  readonly values: (name: string, labels?: Labels) => readonly number[];
};

export function readMetrics(text: string): Readings {
  const lines = text.split('\n');
  const values: Readings['values'] = (name, labels = {}) => {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return lines
      .filter(
        (line) =>
          (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
          wanted.every((part) => line.includes(part)),
      )
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
      .filter((value) => Number.isFinite(value));
  };
  return { value: (name, labels) => values(name, labels)[0], values };
}
