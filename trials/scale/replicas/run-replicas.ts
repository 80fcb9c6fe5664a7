/** Many replicas of each service: what they use when nobody asks and under light load, and a deploy that replaces all of them. */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '@offer-ads/backing/find';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { postgresServices } from '@offer-ads/dev/start/stores';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { shown, table } from '../../../bench/markdown.ts';
import { auditAtRest } from '../../harness/audit.ts';
import { registerBuyer } from '../../harness/load/buyers.ts';
import { startLoad } from '../../harness/load/load.ts';
import { createRetryingCaller } from '../../harness/load/retrying-caller.ts';
import { createTally } from '../../harness/load/tally.ts';
import type { System } from '../../harness/system.ts';
import { rounds, seconds } from '../../rolling/rounds.ts';
import { connectionsOf, memoryOf, most, processorMsOf } from './usage.ts';

export type ReplicasPlan = {
  /** Of each service. */
  readonly replicas: number;
  readonly idleMs: number;
  readonly lightLoadMs: number;
  /** How many services are started or replaced at the same time, one replica each. */
  readonly servicesAtOnce: number;
};

const buyers = 2;
/** Between two requests of a buyer, on average. */
const pauseMs = 500;
const sampleEveryMs = 1_000;

/** True when no request failed, also during the deploy, and nothing is lost, doubled or unsound afterwards. */
export async function runReplicas(
  plan: ReplicasPlan,
  { system, say }: { readonly system: System; readonly say: (line: string) => void },
): Promise<boolean> {
  const { replicas } = system;
  say(`Starting ${plan.replicas} replicas of each service ...`);
  await forServices(plan, async (service) => {
    while (replicas.of(service).length < plan.replicas) await replicas.add(service);
  });
  await using broker = await connectBroker({
    url: system.stores.rabbitmq,
    service: 'admin',
    declarations: [OfferViewed, OfferClicked],
    logger: createLogger({ service: 'scale', level: 'silent' }),
    metrics: createMetrics('scale'),
  });
  const idle = await watch(system, plan.idleMs);

  const tally = createTally();
  const { addresses } = system;
  const buying = await Promise.all(Array.from({ length: buyers }, () => registerBuyer(system)));
  const callUntilAnswered = createRetryingCaller({ tally, allowance: rounds.rolling.allowance });
  const load = startLoad({ gateway: addresses.gateway, callUntilAnswered, broker, pauseMs }, buying, tally);
  const loaded = await watch(system, plan.lightLoadMs);
  say(`\n${usageTable(plan, { idle, loaded })}\n`);

  const deployedAt = performance.now();
  let during = loaded.connections;
  const deploying = new AbortController();
  const watching = (async () => {
    while (!deploying.signal.aborted) {
      during = most(during, await connectionsOf(system));
      await pause(sampleEveryMs, undefined, { signal: deploying.signal }).catch(() => {});
    }
  })();
  try {
    await forServices(plan, (service) => rounds.rolling.change(replicas, service, () => {}, undefined));
  } catch (error) {
    tally.fail(`the deploy ended: ${reasonOf(error)}`);
  }
  deploying.abort();
  await watching;
  const connections = postgresServices.map((service) => `${during[service]} connections of ${service}`);
  const took = seconds(performance.now() - deployedAt);
  say(`  A deploy replaced all of them in ${took}, with at most ${connections.join(', ')}`);
  await load.stop();
  const problems = await auditAtRest(system, { buyers: buying });
  say(`  ${tally.requests()} requests of ${load.journeys()} journeys`);
  for (const line of tally.lines()) say(line);
  for (const failure of tally.failures()) say(`  FAILED: ${failure}`);
  for (const problem of problems) say(`  NOT AS IT MUST BE: ${problem}`);
  return tally.failures().length + problems.length === 0;
}

async function forServices(
  { servicesAtOnce }: ReplicasPlan,
  work: (service: ServiceName) => Promise<void>,
): Promise<void> {
  const waiting = [...serviceNames];
  const line = async () => {
    for (let service = waiting.shift(); service !== undefined; service = waiting.shift()) await work(service);
  };
  await Promise.all(Array.from({ length: servicesAtOnce }, line));
}

type Usage = {
  /** The most in a sample. */
  readonly connections: Awaited<ReturnType<typeof connectionsOf>>;
  /** In bytes, at the end. */
  readonly memory: Record<ServiceName, number>;
  /** In parts of one core. */
  readonly processor: Record<ServiceName, number>;
};

async function watch(system: System, forMs: number): Promise<Usage> {
  const beganAt = performance.now();
  const before = processorMsOf(system);
  let connections = await connectionsOf(system);
  while (performance.now() - beganAt < forMs) {
    await pause(sampleEveryMs);
    connections = most(connections, await connectionsOf(system));
  }
  const after = processorMsOf(system);
  const tookMs = performance.now() - beganAt;
  const processor = Object.fromEntries(
    serviceNames.map((service) => [service, (after[service] - before[service]) / tookMs]),
  ) as Record<ServiceName, number>;
  return { connections, memory: memoryOf(system), processor };
}

function usageTable(
  { replicas }: ReplicasPlan,
  { idle, loaded }: Readonly<Record<'idle' | 'loaded', Usage>>,
): string {
  const megabytes = (bytes: number) => shown(bytes / 1_048_576);
  const percentOfCore = (share: number) => `${shown(100 * share, 1)} %`;
  const connections = ({ connections }: Usage, service: ServiceName) =>
    service in connections ? `${connections[service as keyof typeof connections]}` : '';
  const sum = (figures: Readonly<Record<string, number>>) =>
    Object.values(figures).reduce((total, each) => total + each, 0);
  return table(
    [
      `${replicas} replicas of`,
      'connections of Postgres, idle',
      'with light load',
      'memory MB, idle',
      'with light load',
      'of a core, idle',
      'with light load',
    ],
    [
      ...serviceNames.map((service) => [
        service,
        connections(idle, service),
        connections(loaded, service),
        megabytes(idle.memory[service]),
        megabytes(loaded.memory[service]),
        percentOfCore(idle.processor[service]),
        percentOfCore(loaded.processor[service]),
      ]),
      [
        'all',
        `${sum(idle.connections)}`,
        `${sum(loaded.connections)}`,
        megabytes(sum(idle.memory)),
        megabytes(sum(loaded.memory)),
        percentOfCore(sum(idle.processor)),
        percentOfCore(sum(loaded.processor)),
      ],
    ],
  );
}
