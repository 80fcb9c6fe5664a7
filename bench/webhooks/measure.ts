/**
 * The time from an event in the queue until each endpoint has its webhook. Some endpoints never answer: in the first wave nobody knows that, in
 * later waves their attempts have failed before.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@offer-ads/backing/free-port';
import { BalanceLow } from '@offer-ads/contracts/events/billing';
import { allEvents } from '@offer-ads/contracts/events/events';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { newEndpointId, openEndpointsStore } from '../../services/notifier/src/webhooks/endpoints-store.ts';
import { createSecretBox } from '../../services/notifier/src/webhooks/secret-box.ts';
import { newWebhookSecret } from '../../services/notifier/src/webhooks/signature.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { median } from '../markdown.ts';
import { startNotifier } from '../notifier/notifier-process.ts';
import type { Stores } from '../stores.ts';

const endpointsOfEach = 10;
const laterWaves = 2;
/** Longer than an attempt may take. */
const waveEveryMs = 15_000;
const waveEndsWithinMs = 60_000;
const quiet = () => ({
  logger: createLogger({ service: 'bench', level: 'silent' }),
  metrics: createMetrics('bench'),
});

export type Round = {
  readonly endpoints: number;
  readonly hanging: number;
  /** Milliseconds, of endpoints that do not hang. */
  readonly delaysOfFirst: readonly number[];
  readonly delaysLater: readonly number[];
  readonly foreignLoad: number;
};

type Options = {
  readonly stores: Stores;
  readonly rounds: number;
  readonly quick: boolean;
  readonly report: (line: string) => void;
};

export async function measureWebhooks(o: Options): Promise<readonly Round[]> {
  const organisations = o.quick ? 10 : 100;
  const rounds: Round[] = [];
  for (let round = 1; round <= o.rounds; round += 1)
    // The last is more than the lines of a process.
    for (const hanging of [0, 1, 60]) {
      const measured = await measureRound(o, { round, hanging, organisations });
      rounds.push(measured);
      o.report(
        `round ${round}, ${hanging} hang: ${Math.round(median(measured.delaysOfFirst))} ms, later ${Math.round(median(measured.delaysLater))} ms`,
      );
    }
  return rounds;
}

async function measureRound(
  { stores }: Options,
  o: { readonly round: number; readonly hanging: number; readonly organisations: number },
): Promise<Round> {
  await using opened = new AsyncDisposableStack();
  const mongoUrl = databaseUrl(stores.backing.mongoUrl, `webhooks_${o.round}_${o.hanging}`);
  const mongo = opened.use(await openMongo({ url: mongoUrl, ...quiet() }));
  opened.defer(() => mongo.connection.dropDatabase());
  const receivers = opened.use(await startReceivers());
  const sealSecret = randomBytes(24).toString('hex');
  const endpoints = o.organisations * endpointsOfEach;
  await fill({ mongo, sealSecret, base: receivers.url, organisations: o.organisations, hanging: o.hanging });
  const { rabbitmqUrl } = stores.backing;
  const broker = opened.use(
    await connectBroker({ url: rabbitmqUrl, service: 'admin', declarations: allEvents, ...quiet() }),
  );
  const [port = 0] = await freePorts(1);
  opened.use(
    await startNotifier(stores.folder, port, {
      MONGO_URL: mongoUrl,
      RABBITMQ_URL: rabbitmqUrl,
      WEBHOOK_SEAL_SECRET: sealSecret,
      WEBHOOK_TEST_TARGETS: 'any',
    }),
  );
  await waitUntilIdle();

  const foreignLoad = watchForeignLoad();
  const wave = async () => {
    receivers.forget();
    const begunAtMs = performance.now();
    await broker.publish(Array.from({ length: o.organisations }, (_, index) => balanceLow(index + 1)));
    const expected = endpoints - o.hanging;
    while (receivers.arrivals.size < expected) {
      if (performance.now() - begunAtMs > waveEndsWithinMs)
        throw new Error(`${receivers.arrivals.size} of ${expected} webhooks came`);
      await pause(10);
    }
    const delays = [...receivers.arrivals.values()].map((atMs) => atMs - begunAtMs);
    await pause(Math.max(0, waveEveryMs - (performance.now() - begunAtMs)));
    if (receivers.repeats() > 0) throw new Error(`${receivers.repeats()} webhooks came twice`);
    return delays;
  };
  const delaysOfFirst = await wave();
  const delaysLater: number[] = [];
  for (let later = 0; later < laterWaves; later += 1) delaysLater.push(...(await wave()));
  return { endpoints, hanging: o.hanging, delaysOfFirst, delaysLater, foreignLoad: foreignLoad() };
}

type Receivers = AsyncDisposable & {
  readonly url: string;
  /** By the path of the endpoint, in the time of `performance`. */
  readonly arrivals: ReadonlyMap<string, number>;
  readonly repeats: () => number;
  readonly forget: () => void;
};

async function startReceivers(): Promise<Receivers> {
  const arrivals = new Map<string, number>();
  let repeats = 0;
  const server = createServer((req, res) => {
    const atMs = performance.now();
    const path = req.url ?? '';
    req.resume();
    if (path.startsWith('/hangs/')) return;
    if (arrivals.has(path)) repeats += 1;
    arrivals.set(path, atMs);
    res.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    repeats: () => repeats,
    forget: () => {
      arrivals.clear();
      repeats = 0;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function fill(o: {
  readonly mongo: Parameters<typeof openEndpointsStore>[0];
  readonly sealSecret: string;
  readonly base: string;
  readonly organisations: number;
  readonly hanging: number;
}): Promise<void> {
  const store = await openEndpointsStore(o.mongo);
  const box = createSecretBox(o.sealSecret);
  for (let organisationId = 1; organisationId <= o.organisations; organisationId += 1)
    for (let number = 0; number < endpointsOfEach; number += 1) {
      const id = newEndpointId();
      const hangs = (organisationId - 1) * endpointsOfEach + number < o.hanging;
      const added = await store.add(
        {
          id,
          organisationId,
          mode: 'TEST',
          url: `${o.base}/${hangs ? 'hangs' : 'answers'}/${id}`,
          secrets: [{ sealed: box.seal(newWebhookSecret(), id) }],
        },
        { at: new Date(), by: 'bench', what: 'created' },
      );
      if (!added.ok) throw new Error(`no endpoint was made: ${added.reason}`);
    }
}

function balanceLow(organisationId: number) {
  const data = {
    organisationId,
    mode: 'TEST',
    currency: 'GBP',
    balanceMinor: '900',
    thresholdMinor: '1000',
  } as const;
  return newEvent(BalanceLow, {
    subject: `organisation/${organisationId}`,
    subjectVersion: 1,
    at: new Date(),
    data,
  });
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/bench_${process.pid}_${name}`;
  return url.href;
}
