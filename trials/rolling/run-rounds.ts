/** The rounds of `npm run rolling` on a running system with replicas, one after the other. */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '@offer-ads/backing/find';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import type { Secrets } from '@offer-ads/dev/start/secrets';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { auditAtRest } from '../harness/audit.ts';
import { registerBuyer } from '../harness/load/buyers.ts';
import { startLoad } from '../harness/load/load.ts';
import { createRetryingCaller } from '../harness/load/retrying-caller.ts';
import { createTally } from '../harness/load/tally.ts';
import type { System } from '../harness/system.ts';
import { migrateToThis } from './migrations.ts';
import type { Options } from './options.ts';
import { rounds, seconds } from './rounds.ts';

/** Between two requests of a buyer, on average. */
const pauseMs = 150;

/** True when nothing failed in a way that no document allows, and nothing is lost, doubled or unsound afterwards. */
export async function runRounds(
  o: Options,
  { system, freshSecrets, say }: { system: System; freshSecrets: Secrets; say: (line: string) => void },
): Promise<boolean> {
  const { stores, replicas, addresses } = system;
  await using broker = await connectBroker({
    url: stores.rabbitmq,
    service: 'admin',
    declarations: [OfferViewed, OfferClicked],
    logger: createLogger({ service: 'rolling', level: 'silent' }),
    metrics: createMetrics('rolling'),
  });
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
    const tally = createTally();
    const callUntilAnswered = createRetryingCaller({ tally, allowance: round.allowance });
    const buyers = await Promise.all(Array.from({ length: o.advertisers }, () => registerBuyer(system)));
    const startedAt = performance.now();
    const journey = { gateway: addresses.gateway, callUntilAnswered, broker, pauseMs };
    const load = startLoad(journey, buyers, tally);
    await pause(o.warmUpMs);
    try {
      if (round.migrates && !isMigrated) {
        const migrationStartedAt = performance.now();
        await migrateToThis(stores);
        isMigrated = true;
        const took = seconds(performance.now() - migrationStartedAt);
        say(`  databases brought up to date under load in ${took}`);
        // The old replicas work with the new schema for a while.
        await pause(o.warmUpMs);
      }
      const oldSecrets = system.secrets();
      for (const step of round.steps ?? [undefined]) {
        if (step !== undefined) {
          say(`  ${step.title}`);
          system.useSecrets(step.secretsOf(oldSecrets, freshSecrets));
        }
        for (const service of tally.failures().length > 0 ? [] : o.services) {
          await round.change(replicas, service, (line) => say(`  ${line}`), next);
          await pause(o.betweenMs);
        }
      }
    } catch (error) {
      tally.fail(`the round ended: ${reasonOf(error)}`);
    }
    await load.stop();
    code = next;
    const took = seconds(performance.now() - startedAt);
    const problems = await auditAtRest(system, { buyers, withinMs: round.quietWithinMs });
    say(`\n  ${tally.requests()} requests of ${load.journeys()} journeys in ${took}`);
    for (const line of tally.lines()) say(line);
    for (const failure of tally.failures()) say(`  FAILED: ${failure}`);
    for (const problem of problems) say(`  NOT AS IT MUST BE: ${problem}`);
    if (tally.failures().length + problems.length === 0) say('  Nothing failed, nothing is lost.');
    else isFine = false;
  }
  return isFine;
}
