/**
 * Where a service's time goes while offers are created: `node bench/offers/profile.ts [service] [seconds] [--model]`. Runs the system with
 * that service under the V8 sampler and, unless told otherwise, a stand-in for moderation, and prints self time.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withCleanEnd } from '../clean-end.ts';
import { closedLoop } from '../closed-loop.ts';
import { printProfiles } from '../print-profiles.ts';
import { openStores } from '../stores.ts';
import { provideAdvertisers } from './advertisers.ts';
import { creator } from './creating.ts';
import { atOnce } from './creations.ts';
import { makePictures } from './pictures.ts';
import { prepareSettings, startSystem } from './system.ts';

await withCleanEnd(async (opened) => {
  const args = process.argv.slice(2);
  const seconds = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 15);
  const service = args.find((arg) => /^[a-z]+$/.test(arg)) ?? 'offers';
  const stores = await openStores(opened, () => {});
  const settings = await prepareSettings(opened, stores);
  const profiles = join(stores.folder, 'profiles');
  mkdirSync(profiles);
  const sampled = { [service]: ['--cpu-prof', '--cpu-prof-dir', profiles] };
  const system = await startSystem(opened, settings, sampled);
  await system.putInPlace(args.includes('--model') ? 'the model' : 'a stand-in');
  const creating = creator({
    gatewayUrl: system.gatewayUrl,
    keys: await provideAdvertisers(system),
    pictures: await makePictures(),
  });
  opened.defer(creating.close);
  const { done } = await closedLoop(creating.create, { atOnce, seconds });
  // The profile is written when the process ends.
  await system.stop(service);
  console.log(`${service}: ${done} creations in ${seconds} s under the profiler\n`);
  printProfiles(profiles);
});
