/** The samples of all rounds as a table, with the ratios of the aims. */
import { median, overRounds, table } from '../markdown.ts';
import type { Sample } from './measure.ts';
import type { PeerName } from './peers/peers.ts';

export type Samples = ReadonlyMap<PeerName, readonly Sample[]>;

const titles: Record<PeerName, string> = {
  gateway: 'our gateway',
  'gateway-untraced': 'our gateway, without trace ids',
  'gateway-sampled': 'our gateway, 1 % of requests recorded',
  'gateway-valkey': 'our gateway, limit counted in Valkey',
  'gateway-many-keys': 'our gateway, each request with another of a million keys',
  nginx: 'nginx',
  caddy: 'Caddy',
  bare: 'a bare proxy on Node',
  upstream: 'the upstream alone',
};

type Column = { readonly title: string; readonly of: keyof Sample; readonly digits: number };
const columns: readonly Column[] = [
  { title: 'requests/s', of: 'requestsPerSecond', digits: 0 },
  { title: 'CPU µs/request', of: 'cpuMicrosPerRequest', digits: 1 },
  { title: 'p50 ms, saturated', of: 'saturatedP50Ms', digits: 2 },
  { title: 'p99 ms, saturated', of: 'saturatedP99Ms', digits: 2 },
  { title: 'p50 ms, 1,500/s', of: 'steadyP50Ms', digits: 3 },
  { title: 'p99 ms, 1,500/s', of: 'steadyP99Ms', digits: 3 },
];

/** Medians over the rounds, and in brackets the least and the most. */
export function peerTable(samples: Samples): string {
  const rows = [...samples].map(([name, all]) => {
    const cells = columns.map(({ of, digits }) =>
      overRounds(
        all.map((sample) => sample[of]),
        digits,
      ),
    );
    return [titles[name]].concat(cells);
  });
  return table(['', ...columns.map(({ title }) => title)], rows);
}

export type Verdict = { readonly aim: string; readonly got: string; readonly met: boolean };

/** The aims, for one of our gateways. */
export function judge(samples: Samples, ours: PeerName): Verdict[] {
  const of = (name: PeerName, what: keyof Sample) =>
    median((samples.get(name) ?? []).map((one) => one[what]));
  const timesCaddy = of(ours, 'requestsPerSecond') / of('caddy', 'requestsPerSecond');
  const timesNginx = of(ours, 'requestsPerSecond') / of('nginx', 'requestsPerSecond');
  const tail = of(ours, 'saturatedP99Ms') / of('nginx', 'saturatedP99Ms');
  const aboveMs = of(ours, 'steadyP50Ms') - of('nginx', 'steadyP50Ms');
  return [
    { aim: 'requests/s at least 1.2 × Caddy', got: `${timesCaddy.toFixed(2)} ×`, met: timesCaddy >= 1.2 },
    { aim: 'requests/s at least 0.45 × nginx', got: `${timesNginx.toFixed(2)} ×`, met: timesNginx >= 0.45 },
    { aim: 'p99 saturated at most 3 × nginx', got: `${tail.toFixed(2)} ×`, met: tail <= 3 },
    { aim: 'p50 at 1,500/s at most nginx + 0.3 ms', got: `+ ${aboveMs.toFixed(3)} ms`, met: aboveMs <= 0.3 },
  ];
}

export function verdictTable(samples: Samples, ours: readonly PeerName[]): string {
  const verdicts = ours.map((name) => judge(samples, name));
  const aims = (verdicts[0] ?? []).map(({ aim }, index) => {
    const cells = verdicts.map((all) => `${all[index]?.got} ${all[index]?.met === true ? '✓' : '✗'}`);
    return [aim].concat(cells);
  });
  return table(['aim', ...ours.map((name) => titles[name])], aims);
}
