/** The rounds of `npm run rolling` on a running system with replicas, one after the other. */
import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import type { Secrets } from '@offer-ads/dev/start/secrets';
import type { Tally } from '../harness/load/tally.ts';
import { underLoad } from '../harness/load/under-load.ts';
import type { System } from '../harness/system.ts';
import { migrateToThis } from './migrations.ts';
import type { Options } from './options.ts';
import { rounds, seconds } from './rounds.ts';

const pauseMs = 150;

/** True when nothing failed in a way that no document allows, and nothing is lost, doubled or unsound afterwards. */
export async function runRounds(
  o: Options,
  { system, freshSecrets, say }: { system: System; freshSecrets: Secrets; say: (line: string) => void },
): Promise<boolean> {
  const { stores, replicas } = system;
  let isFine = true;
  /** The working copy of the version that the replicas run. */
  let code = o.from;
  let isMigrated = o.from === undefined;
  for (const name of o.rounds) {
    const round = rounds[name];
    const next = round.to === 'this' ? undefined : round.to === 'before' ? o.from : code;
    say(`\n${round.title}`);
    await Promise.all(
      serviceNames.map(async (service) => {
        const wanted = round.replicas(o);
        while (replicas.of(service).length < wanted) await replicas.add(service, code);
        for (const surplus of replicas.of(service).slice(wanted)) await replicas.retire(surplus);
      }),
    );
    const disturb = async (tally: Tally) => {
      if (round.migrates && !isMigrated) {
        const startedAt = performance.now();
        await migrateToThis(stores);
        isMigrated = true;
        say(`  databases brought up to date under load in ${seconds(performance.now() - startedAt)}`);
        // The old replicas work with the new schema for a while.
        await pause(o.warmUpMs);
      }
      const oldSecrets = system.secrets();
      for (const step of round.steps ?? [undefined]) {
        if (step !== undefined) {
          say(`  ${step.title}`);
          system.useSecrets(step.secretsOf(oldSecrets, freshSecrets));
        }
        for (const service of tally.failures().length === 0 ? o.services : []) {
          await round.change(replicas, service, (line) => say(`  ${line}`), next);
          await pause(o.betweenMs);
        }
      }
    };
    const { warmUpMs, advertisers: buyers } = o;
    const { allowance, quietWithinMs } = round;
    const load = { buyers, pauseMs, warmUpMs, allowance, quietWithinMs, disturb, say };
    const { failed } = await underLoad(system, load);
    code = next;
    if (failed.length === 0) say('  Nothing failed, nothing is lost.');
    else isFine = false;
  }
  return isFine;
}
