/**
 * `npm run bench:webhooks`: the time from an event in the queue until each endpoint has its webhook, while some endpoints never answer. See
 * bench/README.md.
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
import { readOptions, type UsualOptions } from '../command-line.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { overRounds, percent, percentile, shown, table } from '../markdown.ts';
import { startNotifier } from '../notifier/notifier-process.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores, type Stores } from '../stores.ts';

const usage = `npm run bench:webhooks -- [--rounds 3] [--quick] [--write]
  --quick   one short round in which one endpoint hangs: shows that it works, measures nothing
  --write   puts the table into bench/README.md`;

const aimMs = 1_000;
const endpointsOfEach = 10;
/** Longer than an attempt may take. */
const waveEveryMs = 15_000;
const waveEndsWithinMs = 60_000;
const quiet = () => ({
  logger: createLogger({ service: 'bench', level: 'silent' }),
  metrics: createMetrics('bench'),
});

type Round = {
  readonly hanging: number;
  /** Milliseconds, of endpoints that do not hang. In the second wave the attempts of the others have failed before. */
  readonly waves: readonly (readonly number[])[];
  readonly foreignLoad: number;
};

await runMeasurement({ usage, readOptions: (args) => readOptions(args, { rounds: 3 }), run });

async function run(opened: AsyncDisposableStack, o: UsualOptions): Promise<void> {
  const stores = await openStores(opened, say);
  const organisations = o.quick ? 10 : 100;
  const rounds: Round[] = [];
  for (let round = 1; round <= o.rounds; round += 1)
    for (const hanging of o.quick ? [1] : [0, 1, 60]) {
      const waves = await measureRound(stores, { hanging, organisations, waves: o.quick ? 1 : 2 });
      rounds.push(waves);
      say(
        `round ${round}, ${hanging} hang: ${waves.waves.map((wave) => Math.round(percentile(wave, 50))).join(' ms, ')} ms`,
      );
    }
  publish('webhooks', `${circumstances()} ${report(rounds, organisations * endpointsOfEach)}`, o.write);
}

async function measureRound(
  stores: Stores,
  o: { readonly hanging: number; readonly organisations: number; readonly waves: number },
): Promise<Round> {
  await using opened = new AsyncDisposableStack();
  const { rabbitmqUrl } = stores.backing;
  const [port = 0] = await freePorts(1);
  const url = new URL(stores.backing.mongoUrl);
  url.pathname = `/bench_${process.pid}_webhooks_${port}`;
  const mongo = opened.use(await openMongo({ url: url.href, ...quiet() }));
  opened.defer(() => mongo.connection.dropDatabase());
  const receivers = opened.use(await startReceivers());
  const sealSecret = randomBytes(24).toString('hex');
  await addEndpoints({ mongo, sealSecret, base: receivers.url, ...o });
  const broker = opened.use(
    await connectBroker({ url: rabbitmqUrl, service: 'admin', declarations: allEvents, ...quiet() }),
  );
  opened.use(
    await startNotifier(stores.folder, port, {
      MONGO_URL: url.href,
      RABBITMQ_URL: rabbitmqUrl,
      WEBHOOK_SEAL_SECRET: sealSecret,
      WEBHOOK_TEST_TARGETS: 'any',
    }),
  );
  // Otherwise the notifier would wait for the endpoints that hang before it ends.
  opened.defer(receivers.hangUp);
  await waitUntilIdle();

  const foreignLoad = watchForeignLoad();
  const waves: (readonly number[])[] = [];
  while (waves.length < o.waves) {
    if (waves.length > 0) await pause(waveEveryMs);
    receivers.arrivals.clear();
    const begunAtMs = performance.now();
    await broker.publish(Array.from({ length: o.organisations }, (_, index) => balanceLow(index + 1)));
    const expected = o.organisations * endpointsOfEach - o.hanging;
    while (receivers.arrivals.size < expected) {
      if (performance.now() - begunAtMs > waveEndsWithinMs)
        throw new Error(`${receivers.arrivals.size} of ${expected} webhooks came`);
      await pause(10);
    }
    waves.push([...receivers.arrivals.values()].map((atMs) => atMs - begunAtMs));
  }
  return { hanging: o.hanging, waves, foreignLoad: foreignLoad() };
}

/** `arrivals`: by the path of the endpoint, in the time of `performance`. A webhook that comes twice ends the measurement. */
async function startReceivers(): Promise<
  AsyncDisposable & { url: string; arrivals: Map<string, number>; hangUp: () => void }
> {
  const arrivals = new Map<string, number>();
  const server = createServer((req, res) => {
    const atMs = performance.now();
    const path = req.url ?? '';
    req.resume();
    if (path.startsWith('/hangs/')) return;
    if (arrivals.has(path)) throw new Error(`a webhook came twice to ${path}`);
    arrivals.set(path, atMs);
    res.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    hangUp: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function addEndpoints(o: {
  readonly mongo: Parameters<typeof openEndpointsStore>[0];
  readonly sealSecret: string;
  readonly base: string;
  readonly organisations: number;
  readonly hanging: number;
}): Promise<void> {
  const store = await openEndpointsStore(o.mongo);
  const box = createSecretBox(o.sealSecret);
  for (let number = 0; number < o.organisations * endpointsOfEach; number += 1) {
    const id = newEndpointId();
    const added = await store.add(
      {
        id,
        organisationId: 1 + Math.floor(number / endpointsOfEach),
        mode: 'TEST',
        url: `${o.base}/${number < o.hanging ? 'hangs' : 'answers'}/${id}`,
        secrets: [{ sealed: box.seal(newWebhookSecret(), id) }],
      },
      { at: new Date(), by: 'bench', what: 'created' },
    );
    if (!added.ok) throw new Error(`no endpoint was made: ${added.reason}`);
  }
}

function balanceLow(organisationId: number) {
  const money = { currency: 'GBP', balanceMinor: '900', thresholdMinor: '1000' } as const;
  return newEvent(BalanceLow, {
    subject: `organisation/${organisationId}`,
    subjectVersion: 1,
    at: new Date(),
    data: { organisationId, mode: 'TEST', ...money },
  });
}

function report(rounds: readonly Round[], endpoints: number): string {
  const groups = [...Map.groupBy(rounds, ({ hanging }) => hanging)];
  const firstWith = (count: number) =>
    percentile(
      rounds.filter(({ hanging }) => hanging === count).flatMap(({ waves }) => waves[0] ?? []),
      50,
    );
  const added = firstWith(1) - firstWith(0);
  const disturbed = Math.max(...rounds.map(({ foreignLoad }) => foreignLoad));
  return [
    `Milliseconds, medians over rounds, in brackets the least and the most. Other processes took at most ${percent(disturbed)} of the cores.`,
    table(
      [
        'delay of the others',
        'first wave, half',
        'first wave, 99 %',
        'second wave, half',
        'second wave, 99 %',
      ],
      groups.map(([hanging, of]) => {
        const cell = (wave: number, share: number) =>
          overRounds(
            of.map(({ waves }) => percentile(waves[wave] ?? waves[0] ?? [], share)),
            0,
          );
        const title = hanging === 0 ? 'all answer' : `${hanging} of ${shown(endpoints)} hang`;
        return [title, cell(0, 50), cell(0, 99), cell(1, 50), cell(1, 99)];
      }),
    ),
    `Aim: one endpoint that hangs adds less than ${shown(aimMs)} ms to half of the others. It adds ${shown(added)} ms ${added < aimMs ? '✓' : '✗'}.`,
  ].join('\n\n');
}
