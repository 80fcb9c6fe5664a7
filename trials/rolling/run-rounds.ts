/** The rounds of `npm run rolling` on a system with replicas, one after the other. */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '@offer-ads/backing/find';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { foldersIn } from '@offer-ads/dev/start/folder';
import { makeSecrets, type Secrets } from '@offer-ads/dev/start/secrets';
import { type Broker, connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { interruption } from '../harness/interruption.ts';
import { type System, type SystemOptions, startSystem } from '../harness/system.ts';
import { type Advertiser, registerAdvertiser } from './advertisers.ts';
import { audit, underWay } from './audit.ts';
import { createInsisting } from './insisting.ts';
import { startLoad } from './load.ts';
import { migrateBy, migrateToThis } from './migrations.ts';
import type { Options } from './options.ts';
import { signedByBoth } from './rotation.ts';
import { rounds, seconds } from './rounds.ts';
import { createTally } from './tally.ts';

/** Between two requests of an advertiser, on average. */
const pauseMs = 150;

/** True when nothing failed in a way that no document allows, and nothing is lost, doubled or unsound afterwards. */
export async function runRounds(
  o: Options,
  systemOptions: Omit<SystemOptions, 'replicas'>,
): Promise<boolean> {
  const { say } = systemOptions;
  const interrupted = interruption();
  const fresh = makeSecrets();
  const rotates = o.rounds.includes('rotation');
  await using system = await startSystem({
    ...systemOptions,
    ...(rotates && { simulatorSecrets: (secrets) => signedByBoth(secrets, fresh) }),
    stores: {
      ...systemOptions.stores,
      migrating: o.from === undefined ? undefined : migrateBy.bind(undefined, o.from),
    },
    replicas: { preStopMs: o.preStopMs, code: o.from },
  });
  await using broker = await connectBroker({
    url: system.stores.rabbitmq,
    service: 'admin',
    declarations: [OfferViewed, OfferClicked],
    logger: createLogger({ service: 'rolling', level: 'silent' }),
    metrics: createMetrics('rolling'),
  });

  const end = await Promise.race([inOrder(o, { system, broker, fresh, say }), interrupted]);
  if (end === 'interrupted') say('\nStopping ...');
  return end === true;
}

async function inOrder(
  o: Options,
  {
    system,
    broker,
    fresh,
    say,
  }: {
    system: System;
    broker: Broker;
    fresh: Secrets;
    say: (line: string) => void;
  },
): Promise<boolean> {
  const { stores, replicas, callAdmin: admin, addresses: at } = system;
  let isFine = true;
  /** The version that the replicas are of. */
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
    const insist = createInsisting({ tally, allowance: () => round.allowance });
    const advertisers: Advertiser[] = [];
    for (let made = 0; made < o.advertisers; made += 1) advertisers.push(await registerAdvertiser(admin));
    const startedAt = performance.now();
    const load = startLoad({ gateway: at.gateway, insist, broker, pauseMs }, advertisers, tally);
    await pause(o.warmUpMs);
    try {
      if (round.migrates && !isMigrated) {
        const startedAt = performance.now();
        await migrateToThis(stores);
        isMigrated = true;
        say(`  databases brought up to date under load in ${seconds(performance.now() - startedAt)}`);
        // The old replicas work on with them for a while.
        await pause(o.warmUpMs);
      }
      const old = system.secrets();
      for (const step of round.steps ?? [undefined]) {
        if (step !== undefined) {
          say(`  ${step.title}`);
          system.useSecrets(step.secretsOf(old, fresh));
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
    const tookMs = performance.now() - startedAt;
    const waiting = await untilQuiet(() => underWay(system), round.quietWithinMs);
    const problems =
      waiting.length > 0 ? waiting : await untilQuiet(() => audit(system, advertisers), round.quietWithinMs);
    say(
      `\n  ${tally.requests()} requests of ${load.journeys()} journeys in ${seconds(tookMs)}\n${tally.lines().join('\n')}`,
    );
    for (const failure of tally.failures()) say(`  FAILED: ${failure}`);
    for (const problem of problems) say(`  NOT AS IT MUST BE: ${problem}`);
    if (tally.failures().length + problems.length === 0) say('  Nothing failed, nothing is lost.');
    else isFine = false;
  }
  say(`\nLogs of all processes: ${foldersIn(system.folder).logsFolder}, system: ${system.folder}`);
  return isFine;
}

/** Asks until nothing is named any more; what is at the end. */
async function untilQuiet(ask: () => Promise<string[]>, withinMs: number): Promise<string[]> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const named = await ask();
    if (named.length === 0 || performance.now() > giveUpAt) return named;
    await pause(1_000);
  }
}
