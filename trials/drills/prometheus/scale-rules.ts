/** Accelerates the alert rules: divides their durations, so that minutes take seconds, and changes nothing else. */

export type Rule = {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};
export type RuleFile = {
  readonly groups: readonly {
    readonly name: string;
    readonly interval?: string;
    readonly rules: readonly Rule[];
  }[];
};

/** A rate needs a few scrapes, which come every second. */
const SHORTEST_RANGE_MS = 8_000;
const SHORTEST_WAIT_MS = 2_000;

/** The divisors of a rule's ranges and waits, and of the ages that it compares. */
export type Faster = { readonly ranges: number; readonly ages: number };

/** @param fasterOf gets the name of an alert, or `undefined` for a recorded series */
export function scaleRules(file: RuleFile, fasterOf: (alert: string | undefined) => Faster): RuleFile {
  return {
    groups: file.groups.map(({ name, rules }) => ({
      name,
      rules: rules.map((rule) => {
        const faster = fasterOf(rule.alert);
        const wait = (duration: string) => divide(duration, faster.ranges, SHORTEST_WAIT_MS);
        return {
          ...rule,
          expr: scaleExpression(rule.expr, faster),
          ...(rule.for !== undefined && { for: wait(rule.for) }),
          ...(rule.keep_firing_for !== undefined && { keep_firing_for: wait(rule.keep_firing_for) }),
        };
      }),
    })),
  };
}

/** Scales ranges, offsets, and numbers that are compared with an age. */
export function scaleExpression(expr: string, { ranges, ages }: Faster): string {
  const range = (text: string) => divide(text, ranges, SHORTEST_RANGE_MS);
  return expr
    .replace(/\[((?:\d+(?:ms|[smhdwy]))+)\]/g, (_, length: string) => `[${range(length)}]`)
    .replace(/\boffset\s+((?:\d+(?:ms|[smhdwy]))+)/g, (_, length: string) => `offset ${range(length)}`)
    .replace(agesCompared, (_, before: string, seconds: string) => `${before}${Number(seconds) / ages}`);
}

/** Found by the names of metrics: `x_age_seconds > 300`, `time() - max by (y) (x_timestamp_seconds) > 300`. */
const agesCompared = /(_(?:age|timestamp)_seconds(?:\{[^}]*\})?\)*\s*>=?\s*)(\d+(?:\.\d+)?)(?![\d.]|\s*\*)/g;

const unitsMs = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

function divide(text: string, faster: number, minMs: number): string {
  const parts = [...text.matchAll(/(\d+)(ms|[smhdwy])/g)];
  const ms = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitsMs[unit as keyof typeof unitsMs],
    0,
  );
  // A duration below the least one stays unchanged.
  return `${Math.round(Math.max(ms / faster, Math.min(minMs, ms)))}ms`;
}
