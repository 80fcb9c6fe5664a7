/** Method `B` creations end to end, with the model and without it, beside the bare commits that they need. */
import { availableParallelism } from 'node:os';
import type { Settings } from '@offer-ads/dev/start/plans';
import { closedLoop, type Load } from '../closed-loop.ts';
import { cpuMsByName, machineBusyMs } from '../cpu.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { createDatabase, type Stores } from '../stores.ts';
import { type Population, provideAdvertisers } from './advertisers.ts';
import { openBareCommits } from './bare-commits.ts';
import { creator } from './creating.ts';
import { makePictures } from './pictures.ts';
import { type CounterReader, openCounters } from './postgres-counters.ts';
import { type Moderation, startSystem } from './system.ts';

/** Enough to keep two cores busy, and few enough that no picture is turned away for too many waiting. */
export const atOnce = 8;

export type CreationSample = {
  readonly moderation: Moderation;
  readonly saturated: Load;
  readonly alone: Load;
  /** By name of the process, of one creation at saturation. */
  readonly cpuMs: ReadonlyMap<string, number>;
  /** Of all cores, 0 to 1. */
  readonly busy: number;
  readonly foreignLoad: number;
  /** Of one creation at saturation. */
  readonly writes: number;
};

export type PeerSample = { readonly saturated: Load; readonly alone: Load };

export type Creations = {
  readonly samples: readonly CreationSample[];
  readonly peers: readonly PeerSample[];
  /** Durable transactions of a creation, which the peer does too. */
  readonly writes: number;
  readonly pictureBytes: number;
  readonly postgres: string;
  readonly durability: string | null;
};

export type CreationPlan = Population & {
  readonly rounds: number;
  readonly firstWarmUpSeconds: number;
  readonly warmUpSeconds: number;
  readonly saturatedSeconds: number;
  readonly aloneSeconds: number;
  readonly peerSeconds: number;
};

export async function measureCreations(
  opened: AsyncDisposableStack,
  o: { stores: Stores; settings: Settings; plan: CreationPlan; report: (line: string) => void },
): Promise<Creations> {
  const { stores, settings, plan, report } = o;
  const serverUrl = stores.backing.postgresUrl;
  const counters = opened.use(await openCounters(serverUrl));
  const peerUrl = await createDatabase(opened, { serverUrl, name: 'peer' });
  const commitBarely = await openBareCommits(opened, { databaseUrl: peerUrl, atOnce });
  report('Starting the system ...');
  const system = await startSystem(opened, settings);
  await system.putInPlace('a stand-in');
  const pictures = await makePictures();
  const creating = creator({
    gatewayUrl: system.gatewayUrl,
    keys: await provideAdvertisers(system, plan),
    pictures,
  });
  opened.defer(creating.close);

  const once = async (moderation: Moderation, warmUpSeconds: number): Promise<CreationSample> => {
    await system.putInPlace(moderation);
    await closedLoop(creating.create, { atOnce, seconds: warmUpSeconds });
    const saturated = await watched(counters, system.pids(), () =>
      closedLoop(creating.create, { atOnce, seconds: plan.saturatedSeconds }),
    );
    // Mails, events and the call log follow; they are not the next one's.
    await waitUntilIdle();
    const alone = await closedLoop(creating.create, { atOnce: 1, seconds: plan.aloneSeconds });
    return { moderation, ...saturated, alone };
  };

  const samples: CreationSample[] = [];
  const peers: PeerSample[] = [];
  let writes = 0;
  for (let round = 1; round <= plan.rounds; round += 1) {
    const warmUpSeconds = round === 1 ? plan.firstWarmUpSeconds : plan.warmUpSeconds;
    for (const moderation of ['the model', 'a stand-in'] as const) {
      samples.push(await once(moderation, warmUpSeconds));
      report(told(round, samples.at(-1)));
    }
    // The same number in all rounds, of which the first one's measurement says it.
    writes ||= Math.round(samples.at(-1)?.writes ?? 0);
    await waitUntilIdle();
    peers.push({
      saturated: await commitBarely({ writes, atOnce, seconds: plan.peerSeconds }),
      alone: await commitBarely({ writes, atOnce: 1, seconds: plan.peerSeconds }),
    });
  }
  const { version: postgres, durability } = counters;
  return { samples, peers, writes, pictureBytes: pictures.bytes, postgres, durability };
}

async function watched(
  counters: CounterReader,
  names: ReadonlyMap<number, string>,
  work: () => Promise<Load>,
): Promise<Omit<CreationSample, 'moderation' | 'alone'>> {
  const foreign = watchForeignLoad();
  const [countersBefore, cpuBefore, busyBefore] = [
    await counters.read(),
    cpuMsByName(process.pid, names),
    machineBusyMs(),
  ];
  const saturated = await work();
  const [after, cpu, busy] = [await counters.read(), cpuMsByName(process.pid, names), machineBusyMs()];
  const { done, seconds } = saturated;
  const each = (now: number, before: number) => (now - before) / done;
  return {
    saturated,
    cpuMs: differences(cpu, cpuBefore, done),
    busy: (busy - busyBefore) / (seconds * 1_000 * availableParallelism()),
    foreignLoad: foreign(),
    writes: each(after.writes, countersBefore.writes),
  };
}

function differences(
  now: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
  among: number,
): Map<string, number> {
  return new Map([...now].map(([name, value]) => [name, (value - (before.get(name) ?? 0)) / among]));
}

function told(round: number, sample: CreationSample | undefined): string {
  if (sample === undefined) return '';
  const { moderation, saturated, alone, writes, busy, foreignLoad } = sample;
  return (
    `round ${round} ${moderation.padEnd(10)} ${(saturated.done / saturated.seconds).toFixed(1)} creations/s, ` +
    `${alone.done} one at a time, ${writes.toFixed(1)} durable transactions each, ` +
    `cores busy ${(busy * 100).toFixed(0)} %, others ${(foreignLoad * 100).toFixed(0)} %`
  );
}
