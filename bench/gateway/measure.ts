/** One peer, once: at saturation, then at the fixed rate. */
import { truncateSync } from 'node:fs';
import { cpuMsOf } from '../cpu.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import type { Peer } from './peers/peers.ts';
import { requestPath } from './requests.ts';
import { askSteadily } from './steady/steady.ts';
import { type Load, saturate } from './wrk.ts';

export type Sample = {
  readonly requestsPerSecond: number;
  /** Of the peer's own processes, without the stores, the upstream and the generator. */
  readonly cpuMicrosPerRequest: number;
  readonly saturatedP50Ms: number;
  readonly saturatedP99Ms: number;
  readonly steadyP50Ms: number;
  readonly steadyP99Ms: number;
  readonly sentLateP50Ms: number;
  /** The share of all cores that foreign processes used meanwhile, 0 to 1. */
  readonly foreignLoad: number;
};

export type Plan = {
  readonly wrk: string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly quick: boolean;
};

export async function measure(peer: Peer, load: Pick<Load, 'clients'>, plan: Plan): Promise<Sample> {
  const target = { ...load, keysFile: peer.keysFile, url: `${peer.url}${requestPath}` };
  const lostBefore = await lostCalls(peer);
  await saturate(plan.wrk, target, plan.warmUpSeconds);
  await waitUntilIdle();

  const foreign = watchForeignLoad();
  const cpuBefore = cpuMsOf(peer.pid);
  const saturated = await saturate(plan.wrk, target, plan.seconds);
  const cpuMs = cpuMsOf(peer.pid) - cpuBefore;
  const foreignLoad = foreign();
  // So that its remaining log lines do not disturb the next measurement.
  await waitUntilIdle();
  const steady = await askSteadily(target, plan.seconds);
  await waitUntilIdle();

  const spoilt = {
    'refused at saturation': saturated.refused,
    'refused at the fixed rate': steady.refused,
    ...(!plan.quick && {
      'broken or slower than 2 s at saturation': saturated.broken,
      'broken or unanswered in the end at the fixed rate': steady.broken,
    }),
    'calls lost by the log': (await lostCalls(peer)) - lostBefore,
  };
  const problems = Object.entries(spoilt).filter(([, count]) => count !== 0);
  if (problems.length > 0) {
    throw new InvalidRun(`${peer.name}: ${problems.map(([what, count]) => `${count} ${what}`).join(', ')}`);
  }
  truncateSync(peer.accessLog);
  return {
    requestsPerSecond: saturated.requests / saturated.seconds,
    cpuMicrosPerRequest: (cpuMs * 1_000) / saturated.requests,
    saturatedP50Ms: saturated.p50Ms,
    saturatedP99Ms: saturated.p99Ms,
    steadyP50Ms: steady.p50Ms,
    steadyP99Ms: steady.p99Ms,
    sentLateP50Ms: steady.sentLateP50Ms,
    foreignLoad,
  };
}

/** The run did not measure the work of all requests. */
export class InvalidRun extends Error {
  override readonly name = 'InvalidRun';
}

/** A gateway that loses calls under load must not count as fast. */
async function lostCalls(peer: Peer): Promise<number> {
  if (!peer.isOurs) return 0;
  const metrics = await (await fetch(`${peer.url}/metrics`)).text();
  const line = metrics.split('\n').find((line) => line.startsWith('call_log_lost_total'));
  if (line === undefined) throw new Error(`${peer.name} tells nothing of lost calls`);
  return Number(line.split(' ').at(-1));
}
