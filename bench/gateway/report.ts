/** The report of a run: its circumstances and tables. */

import { percent, shown } from '../markdown.ts';
import type { Options } from './options.ts';
import { isOurs } from './peers/peers.ts';
import { steadyRate } from './steady/steady.ts';
import { peerTable, type Samples, verdictTable } from './table.ts';
import { connections, threads } from './wrk.ts';

export function reportOf(o: {
  samples: Samples;
  options: Options;
  clients: number;
  versions: string;
  machine: string;
}): string {
  const { rounds, seconds, starts } = o.options;
  const samples: Samples = new Map([...o.samples].filter(([, valid]) => valid.length > 0));
  const all = [...samples.values()].flat();
  if (all.length === 0) return 'No run was valid.';
  const foreignLoad = Math.max(...all.map((sample) => sample.foreignLoad));
  const sentLateMs = Math.max(...all.map((sample) => sample.sentLateP50Ms));
  const ours = [...samples.keys()].filter(isOurs);
  const isComparable = samples.has('nginx') && samples.has('caddy') && ours.length > 0;
  return [
    `${new Date().toISOString().slice(0, 10)}; ${o.machine}; ${o.versions}.`,
    `${shown(rounds)} ${rounds === 1 ? 'round' : 'rounds'}, each ${seconds} s of wrk with ${connections} connections on ` +
      `${threads} thread and ${seconds} s of ${shown(steadyRate)} requests a second, from ${shown(o.clients)} clients. ` +
      `Other processes took at most ${percent(foreignLoad)} of the cores during a run. At ${shown(steadyRate)}/s the ` +
      `generator's own lateness is at most ${sentLateMs.toFixed(3)} ms at the median, and part of every latency. ` +
      `${shown(starts)} ${starts === 1 ? 'process' : 'processes'} of each of our gateways. ` +
      'Medians over rounds and processes, in brackets the least and the most.',
    peerTable(samples),
    ...(isComparable ? [verdictTable(samples, ours)] : []),
  ].join('\n\n');
}
