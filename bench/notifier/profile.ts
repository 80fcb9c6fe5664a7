/**
 * Where the notifier's time goes while it sends: `node bench/notifier/profile.ts [store|queue]`. Runs that turn under the V8
 * sampler and prints self time.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withCleanEnd } from '../clean-end.ts';
import { shown } from '../markdown.ts';
import { printProfiles } from '../print-profiles.ts';
import { openStores } from '../stores.ts';
import { measure, startSink } from './measure.ts';
import { turns } from './turns.ts';

await withCleanEnd(async (opened) => {
  const from = process.argv[2] ?? 'store';
  const stores = await openStores(opened, () => {});
  const profiles = join(stores.folder, 'profiles');
  mkdirSync(profiles);
  const turn = turns(false, ['--cpu-prof', '--cpu-prof-dir', profiles]).find(
    ({ title }) => title.startsWith('notifier') && title.includes(from),
  );
  if (turn === undefined) throw new Error(`${from} is neither store nor queue`);
  const { folder, backing } = stores;
  const mongoUrl = new URL(backing.mongoUrl);
  mongoUrl.pathname = `/bench_${process.pid}_profile`;
  const sink = await startSink(opened, folder);
  const stage = { folder, mongoUrl: mongoUrl.href, rabbitmqUrl: backing.rabbitmqUrl, smtpUrl: sink.smtpUrl };
  // The profile is written when the process ends.
  const { perSecond, cpuMicros, cpuMicrosInAll } = await measure(stage, turn, sink);
  console.log(
    `${turn.title}: ${shown(perSecond)} mails/s under the profiler, ${shown(cpuMicros)} of ${shown(cpuMicrosInAll)} µs each\n`,
  );
  printProfiles(profiles);
});
