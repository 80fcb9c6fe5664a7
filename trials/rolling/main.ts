/**
 * `npm run rolling`: the whole system with several replicas of each service, a steady load through the gateway, and every replica
 * replaced, restarted or killed meanwhile. Ends with status 1 when a request failed in a way that no document allows, or
 * when something is lost, doubled or unsound afterwards (docs/operations/rolling-restarts.md).
 */
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { claimFolder, releaseFolder } from '@offer-ads/backing/data-folder';
import { reasonOf } from '@offer-ads/backing/find';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { provideDemoData } from '@offer-ads/dev/demo-data';
import { type AdminClient, createAdminClient } from '@offer-ads/dev/demo-data/admin-client';
import { compileCacheFolder, devFolder, logsFolder, runFolder } from '@offer-ads/dev/start/folder';
import {
  addressesOf,
  adminSettings,
  type ProcessPlan,
  planServices,
  planSimulators,
} from '@offer-ads/dev/start/plans';
import { choosePorts } from '@offer-ads/dev/start/ports';
import { makeSecrets, readOrMakeSecrets, type Secrets } from '@offer-ads/dev/start/secrets';
import { startStores } from '@offer-ads/dev/start/stores';
import { createSupervisor } from '@offer-ads/dev/start/supervisor';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { buildWeb } from '@offer-ads/web/build';
import { type Advertiser, registerAdvertiser } from './advertisers.ts';
import { audit, underWay } from './audit.ts';
import { createFleet } from './fleet.ts';
import { createInsisting } from './insisting.ts';
import { startLoad } from './load.ts';
import { migrateBy, migrateToThis } from './migrations.ts';
import { type Options, readOptions, usage } from './options.ts';
import { signedByBoth } from './rotation.ts';
import { rounds, seconds } from './rounds.ts';
import { createTally } from './tally.ts';

const say = (line: string) => console.log(line);
/** Between two requests of an advertiser, on average. */
const pauseMs = 150;
/** Journeys of every kind are under way before the first replica goes. */
const warmUpMs = 10_000;

try {
  process.exitCode = (await run(optionsOrUsage())) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

function optionsOrUsage(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${reasonOf(error)}\n\n${usage}`);
    process.exit(1);
  }
}

async function run(o: Options): Promise<boolean> {
  await using running = new AsyncDisposableStack();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void running.disposeAsync().then(() => process.exit(1)));
  await claimFolder(runFolder);
  running.defer(() => releaseFolder(runFolder));
  rmSync(logsFolder, { recursive: true, force: true });
  mkdirSync(logsFolder, { recursive: true });
  await buildWeb({ report: say });
  let secrets = readOrMakeSecrets();
  const fresh = makeSecrets();
  const { ports, release } = await choosePorts();
  running.defer(release);
  const { stores } = running.use(
    await startStores(say, o.from === undefined ? undefined : migrateBy.bind(undefined, o.from)),
  );
  const settings = (having: Secrets = secrets) => ({ ports, secrets: having, stores });
  const supervisor = createSupervisor({
    logsFolder,
    runFolder,
    env: { NODE_COMPILE_CACHE: compileCacheFolder },
    report: say,
    onRestart: () => {},
  });
  const rotates = o.rounds.includes('rotation');
  const simulators = planSimulators(settings(rotates ? signedByBoth(secrets, fresh) : secrets));
  running.defer(() => supervisor.stop(simulators.map(({ name }) => name)));
  await Promise.all(simulators.map(supervisor.start));
  const fleet = running.use(
    createFleet({
      plan: (service) => planServices(settings()).find(({ name }) => name === service) as ProcessPlan,
      ports,
      supervisor,
      preStopMs: o.preStopMs,
    }),
  );
  say(`Starting the services of ${o.from ?? 'this version'} ...`);
  await Promise.all(serviceNames.map((service) => fleet.add(service, o.from)));
  const admin: AdminClient = (owner, method, path, body) =>
    createAdminClient(adminSettings(settings()))(owner, method, path, body);
  await provideDemoData(adminSettings(settings()), say);

  const at = addressesOf(ports);
  const where = { stores, admin, mailbox: at.mail };
  await using broker = await connectBroker({
    url: stores.rabbitmq,
    service: 'admin',
    declarations: [OfferViewed, OfferClicked],
    logger: createLogger({ service: 'rolling', level: 'silent' }),
    metrics: createMetrics('rolling'),
  });

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
        while (fleet.replicas(service).length < wanted) await fleet.add(service, code);
        for (const surplus of fleet.replicas(service).slice(wanted)) await fleet.retire(surplus);
      }),
    );
    const tally = createTally();
    const insist = createInsisting({ tally, allowance: () => round.allowance });
    const advertisers: Advertiser[] = [];
    for (let made = 0; made < o.advertisers; made += 1) advertisers.push(await registerAdvertiser(admin));
    const startedAt = performance.now();
    const load = startLoad({ gateway: at.gateway, insist, broker, pauseMs }, advertisers, tally);
    await pause(warmUpMs);
    try {
      if (round.migrates && !isMigrated) {
        const startedAt = performance.now();
        await migrateToThis(stores);
        isMigrated = true;
        say(`  databases brought up to date under load in ${seconds(performance.now() - startedAt)}`);
        // The old replicas work on with them for a while.
        await pause(warmUpMs);
      }
      const old = secrets;
      for (const step of round.steps ?? [undefined]) {
        if (step !== undefined) {
          say(`  ${step.title}`);
          secrets = step.secretsOf(old, fresh);
        }
        for (const service of tally.failures().length > 0 ? [] : o.services) {
          await round.change(fleet, service, (line) => say(`  ${line}`), next);
          await pause(o.betweenMs);
        }
      }
    } catch (error) {
      tally.fail(`the round ended: ${reasonOf(error)}`);
    }
    await load.stop();
    code = next;
    const tookMs = performance.now() - startedAt;
    const waiting = await untilQuiet(() => underWay(where), round.quietWithinMs);
    const problems =
      waiting.length > 0 ? waiting : await untilQuiet(() => audit(where, advertisers), round.quietWithinMs);
    say(
      `\n  ${tally.requests()} requests of ${load.journeys()} journeys in ${seconds(tookMs)}\n${tally.lines().join('\n')}`,
    );
    for (const failure of tally.failures()) say(`  FAILED: ${failure}`);
    for (const problem of problems) say(`  NOT AS IT MUST BE: ${problem}`);
    if (tally.failures().length + problems.length === 0) say('  Nothing failed, nothing is lost.');
    else isFine = false;
  }
  say(`\nLogs of all processes: ${logsFolder}, system: ${devFolder}`);
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
