/**
 * Where the gateway's time goes: `node bench/gateway/profile.ts [seconds] [--traced]`. Runs one gateway under the V8
 * sampler while wrk loads it and prints self time by group and by function.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@offer-ads/dev/backing/free-port';
import { withCleanEnd } from '../clean-end.ts';
import { createApiKey, startGatewayProcess } from './gateway.ts';
import { traced } from './peers.ts';
import { addProfile, type CpuProfile, selfTimes } from './profile-groups.ts';
import { findPrograms } from './programs.ts';
import { clientsFor, requestPath } from './requests.ts';
import { setStage } from './stage.ts';
import { saturate } from './wrk.ts';

const warmUpSeconds = 2;
const leastShare = 0.005;

await withCleanEnd(async (opened) => {
  const args = process.argv.slice(2);
  const seconds = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 10);
  const programs = findPrograms();
  const stage = await setStage(opened, { nginx: programs.nginx, report: () => {} });
  const profiles = join(stage.folder, 'profiles');
  mkdirSync(profiles);
  const [port = 0] = await freePorts(1);
  const gateway = await startGatewayProcess({
    name: 'gateway',
    folder: stage.folder,
    port,
    settings: stage.settings,
    nodeArgs: ['--cpu-prof', '--cpu-prof-dir', profiles, ...(args.includes('--traced') ? traced : [])],
  });
  opened.use(gateway);
  const apiKey = await createApiKey(`http://127.0.0.1:${port}`, stage.settings);
  const load = {
    url: `http://127.0.0.1:${port}${requestPath}`,
    apiKey,
    clients: clientsFor(seconds + warmUpSeconds),
  };
  await saturate(programs.wrk, load, warmUpSeconds);
  const { requests, refused, broken } = await saturate(programs.wrk, load, seconds);
  // The profile is written when the process ends; worker threads write one each.
  await gateway[Symbol.asyncDispose]();

  const times = selfTimes();
  for (const file of readdirSync(profiles)) {
    addProfile(times, JSON.parse(readFileSync(join(profiles, file), 'utf8')) as CpuProfile);
  }
  console.log(
    `${requests} requests in ${seconds} s under the profiler, ${refused + broken} of them failed\n`,
  );
  const share = (us: number) => `${((us / times.totalUs) * 100).toFixed(1).padStart(5)} %`;
  const large = sorted(times.groups).filter(([, us]) => us / times.totalUs >= leastShare);
  for (const [group, us] of large) console.log(`${share(us)}  ${group}`);
  console.log('\nFunctions with the most time of their own:');
  for (const [name, us] of sorted(times.functions).slice(0, 40)) console.log(`${share(us)}  ${name}`);
});

function sorted(times: ReadonlyMap<string, number>): [string, number][] {
  return [...times].toSorted(([, a], [, b]) => b - a);
}
