/** `POST /offers/price-estimate` in a closed loop: through gateway and pricing, and of pricing alone. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { onPath } from '@offer-ads/backing/on-path';
import type { Target } from '@offer-ads/contracts/audience/target';
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { signedCaller } from '@offer-ads/testing/caller';
import mongoose from 'mongoose';
import { openInterestsStore } from '../../services/pricing/src/members/interests-store.ts';
import { cpuMsOf } from '../cpu.ts';
import { createApiKey, gatewaySettings, migrations, startGatewayProcess } from '../gateway/gateway.ts';
import { clientsFor } from '../gateway/requests.ts';
import { runWrk } from '../gateway/wrk.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { createDatabase, type Stores } from '../stores.ts';
import { type CpuProfile, countingShare } from './counting-share.ts';
import { type WayName, wayNames } from './members/names.ts';
import { ProgramsMissing } from './peers/postgres-server.ts';
import { contextSecret, startPricingProcess } from './pricing-process.ts';
import { interestIds } from './queries.ts';

export type EndpointSample = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the services for each request, stores and load left out. */
  readonly cpuMicros: number;
};
export type Endpoint = {
  readonly samples: ReadonlyMap<WayName, readonly EndpointSample[]>;
  /** Of pricing's own processor time, as V8's sampler sees it. */
  readonly countingShare: number;
  readonly connections: number;
  readonly foreignLoad: number;
};

const CONNECTIONS = 16;
const WARM_UP_SECONDS = 3;
const dayMs = 86_400_000;
const script = fileURLToPath(new URL('estimates.lua', import.meta.url));

export function requireWrk(): string {
  const wrk = onPath('wrk');
  if (wrk === undefined)
    throw new ProgramsMissing('wrk is not there. On Debian and Ubuntu: apt-get install wrk');
  return wrk;
}

export async function measureEndpoint(
  opened: AsyncDisposableStack,
  o: {
    stores: Stores;
    snapshots: string;
    mongoUrl: string;
    targets: readonly Target[];
    counted: readonly number[];
    rounds: number;
    seconds: number;
    report: (line: string) => void;
  },
): Promise<Endpoint> {
  const wrk = requireWrk();
  const { folder, backing } = o.stores;
  await storeCatalogue(o.mongoUrl);
  const env = { MONGO_URL: o.mongoUrl, RABBITMQ_URL: backing.rabbitmqUrl };
  const onIndex = { folder, env: { ...env, AUDIENCE_SNAPSHOT_FOLDER: o.snapshots } };
  const pricing = opened.use(await startPricingProcess({ ...onIndex, name: 'pricing' }));
  const gateway = await startGateway(opened, o.stores, pricing.url);

  const bodies = join(folder, 'estimates.ndjson');
  writeFileSync(bodies, `${o.targets.map(bodyOf).join('\n')}\n`);
  const signed = [
    callerContextHeader,
    signedCaller({ audience: 'pricing' }, contextSecret)[callerContextHeader],
  ] as const;
  const ways: Record<WayName, { url: string; header: readonly [string, string]; pids: readonly number[] }> = {
    'through gateway and pricing': { ...gateway, pids: [gateway.pid, pricing.pid] },
    'pricing alone': { url: pricing.url, header: signed, pids: [pricing.pid] },
  };
  for (const way of Object.values(ways)) await expectCounts(way, o.targets, o.counted);
  o.report('Every estimate tells the same audience on all ways.');

  const load = async (
    { url, header }: { url: string; header: readonly [string, string] },
    seconds: number,
  ) => {
    const clients = clientsFor(seconds);
    const shape = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '30s', '-s', script];
    const args = [...shape, `${url}/offers/price-estimate`, '--', bodies, ...header, `${clients}`];
    const result = await runWrk(wrk, args);
    if (result.refused + result.broken > 0)
      throw new Error(`${result.refused} estimates were refused, ${result.broken} not answered at ${url}`);
    return result;
  };
  const samples = new Map<WayName, EndpointSample[]>(wayNames.map((name) => [name, []]));
  const foreign = watchForeignLoad();
  for (let round = 1; round <= o.rounds; round += 1) {
    for (const name of wayNames) {
      const way = ways[name];
      await load(way, WARM_UP_SECONDS);
      await waitUntilIdle();
      const cpu = () => way.pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
      const before = cpu();
      const { requests, seconds, p50Ms, p99Ms } = await load(way, o.seconds);
      const cpuMicros = ((cpu() - before) * 1_000) / requests;
      samples.get(name)?.push({ perSecond: requests / seconds, p50Ms, p99Ms, cpuMicros });
      o.report(`round ${round}  ${name.padEnd(28)} ${(requests / seconds).toFixed(0).padStart(6)}/s`);
    }
  }
  const foreignLoad = foreign();

  const profiles = join(folder, 'profiles');
  rmSync(profiles, { recursive: true, force: true });
  mkdirSync(profiles);
  const nodeArgs = ['--cpu-prof', '--cpu-prof-dir', profiles];
  const sampled = await startPricingProcess({ ...onIndex, name: 'pricing-sampled', nodeArgs });
  const nowUs = () => Number(process.hrtime.bigint() / 1_000n);
  const target = { url: sampled.url, header: signed };
  await load(target, WARM_UP_SECONDS);
  const fromUs = nowUs();
  await load(target, o.seconds);
  const window = { fromUs, toUs: nowUs() };
  // The profile is written when the process ends.
  await sampled[Symbol.asyncDispose]();
  const read = readdirSync(profiles).map(
    (file) => JSON.parse(readFileSync(join(profiles, file), 'utf8')) as CpuProfile,
  );
  return { samples, countingShare: countingShare(read, window), connections: CONNECTIONS, foreignLoad };
}

async function startGateway(opened: AsyncDisposableStack, { folder, backing }: Stores, pricingUrl: string) {
  const databaseUrl = await createDatabase(opened, {
    serverUrl: backing.postgresUrl,
    name: 'gateway',
    migrations,
  });
  // The load consists only of estimates.
  const settings = {
    ...gatewaySettings({ databaseUrl, rabbitmqUrl: backing.rabbitmqUrl, upstreamPort: 9 }),
    PRICING_URL: pricingUrl,
    PRICING_CONTEXT_SECRET: contextSecret,
  };
  const [port = 0] = await freePorts(1);
  const running = opened.use(
    await startGatewayProcess({ name: 'gateway', folder, port, settings, isTraced: true }),
  );
  const url = `http://127.0.0.1:${port}`;
  return { url, pid: running.pid, header: ['X-Api-Key', await createApiKey(url)] as const };
}

async function storeCatalogue(mongoUrl: string): Promise<void> {
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  await openInterestsStore(connection).replace({ version: 1, active: interestIds });
  await connection.close();
}

/** A campaign of a day, one day from now. */
function bodyOf({ latitude, longitude, radiusMiles, gender, interests }: Target): string {
  const start = Date.now() + dayMs;
  return JSON.stringify({
    start_datetime: new Date(start).toISOString(),
    end_datetime: new Date(start + dayMs).toISOString(),
    location: [latitude, longitude],
    radius: radiusMiles,
    ...(gender.length > 0 && { gender }),
    ...(interests.length > 0 && { interests }),
  });
}

async function expectCounts(
  { url, header: [name, value] }: { url: string; header: readonly [string, string] },
  targets: readonly Target[],
  counted: readonly number[],
): Promise<void> {
  for (const [index, target] of targets.entries()) {
    const reply = await fetch(`${url}/offers/price-estimate`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `198.19.255.${index}`,
        [name]: value,
      },
      body: bodyOf(target),
    });
    const text = await reply.text();
    const { matching_users: matching } = JSON.parse(text) as { matching_users?: number };
    if (matching !== counted[index])
      throw new Error(`${url} tells not ${counted[index]} but: ${text} (${bodyOf(target)})`);
  }
}
