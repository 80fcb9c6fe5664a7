/** p99 of every endpoint with a large store beside that with a small one, in the same run. */
import { median, percentile, shown, table } from '../../../bench/markdown.ts';
import type { FilledStore } from './prepare-store.ts';
import { askAll } from './requests.ts';

/** A p99 may grow by this factor. */
const aim = 1.5;

type Which = 'small' | 'large';
type Latencies = ReadonlyMap<string, readonly number[]>;

export type Comparison = { readonly table: string; readonly isAimMet: boolean };

/**
 * The stores take turns, so that a slow moment of the machine slows both. The first round is for V8 and caches. A p99 of a round hangs on its
 * two or three slowest answers: while a request is above the aim, up to as many rounds again are asked, and the medians of all rounds count.
 */
export async function compareStores(
  stores: Readonly<Record<Which, FilledStore>>,
  o: { readonly rounds: number; readonly turns: number; readonly say: (line: string) => void },
): Promise<Comparison> {
  const rounds: Record<Which, Latencies>[] = [];
  let lines: Line[] = [];
  for (let round = 0; round <= o.rounds || (round <= 2 * o.rounds && !isAimMet(lines)); round += 1) {
    const times = { small: new Map<string, number[]>(), large: new Map<string, number[]>() };
    for (let turn = 0; turn < o.turns; turn += 1)
      for (const which of turn % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const))
        await askAll(stores[which].callers, round * o.turns + turn, timing(times[which]));
    if (round > 0) rounds.push(times);
    lines = linesOf(rounds);
    o.say(`  round ${round} of ${o.rounds} done; above the aim: ${aboveAim(lines)}`);
  }
  return {
    table: table(
      ['', 'p50 ms, small', 'p50 ms, large', 'p99 ms, small', 'p99 ms, large', 'p99 large ÷ small'],
      lines.map(({ endpoint, figures, growth }) => [
        endpoint,
        ...figures.map((figure) => shown(figure, 1)),
        `${shown(growth, 2)} ${growth <= aim ? '✓' : '✗'}`,
      ]),
    ),
    isAimMet: isAimMet(lines),
  };
}

type Line = { readonly endpoint: string; readonly figures: readonly number[]; readonly growth: number };

function linesOf(rounds: readonly Record<Which, Latencies>[]): Line[] {
  const inRounds = (which: Which, endpoint: string, percent: number) =>
    median(rounds.map((round) => percentile(round[which].get(endpoint) ?? [], percent)));
  return [...(rounds[0]?.small.keys() ?? [])].map((endpoint) => {
    const figures = [50, 99].flatMap((at) => [
      inRounds('small', endpoint, at),
      inRounds('large', endpoint, at),
    ]);
    const [, , small = 0, large = 0] = figures;
    return { endpoint, figures, growth: large / small };
  });
}

function aboveAim(lines: readonly Line[]): string {
  const above = lines.filter(({ growth }) => growth > aim);
  return above.map(({ endpoint, growth }) => `${endpoint} (${shown(growth, 2)})`).join(', ') || 'none';
}

function isAimMet(lines: readonly Line[]): boolean {
  return lines.every(({ growth }) => growth <= aim);
}

function timing(times: Map<string, number[]>) {
  return async <T>(endpoint: string, ask: () => Promise<T>): Promise<T> => {
    const askedAt = performance.now();
    const reply = await ask().catch((error: unknown) => {
      throw new Error(`${endpoint} failed`, { cause: error });
    });
    times.set(endpoint, [...(times.get(endpoint) ?? []), performance.now() - askedAt]);
    return reply;
  };
}
