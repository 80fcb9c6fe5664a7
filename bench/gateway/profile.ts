/**
 * Where the gateway's time goes: `node bench/gateway/profile.ts [seconds] [--traced]`. Runs one gateway under the V8
 * sampler while wrk loads it and prints self time by group and by function.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@offer-ads/backing/free-port';
import { withCleanEnd } from '../clean-end.ts';
import { printProfiles } from '../print-profiles.ts';
import { createApiKey, startGatewayProcess } from './gateway.ts';
import { traced } from './peers/peers.ts';

import { findPrograms } from './peers/programs.ts';
import { clientsFor, requestPath } from './requests.ts';
import { setStage } from './stage.ts';
import { saturate } from './wrk.ts';

const warmUpSeconds = 2;

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
  const apiKey = await createApiKey(`http://127.0.0.1:${port}`);
  const load = {
    url: `http://127.0.0.1:${port}${requestPath}`,
    apiKey,
    clients: clientsFor(seconds + warmUpSeconds),
  };
  await saturate(programs.wrk, load, warmUpSeconds);
  const { requests, refused, broken } = await saturate(programs.wrk, load, seconds);
  // The profile is written when the process ends; worker threads write one each.
  await gateway[Symbol.asyncDispose]();

  console.log(
    `${requests} requests in ${seconds} s under the profiler, ${refused + broken} of them failed\n`,
  );
  printProfiles(profiles);
});
