/** The outbox relay of one replica of billing: how many events it publishes a second, and how soon one arrives while nothing else waits. */
import { randomUUID } from 'node:crypto';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { connectBroker, on } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox, startOutboxRelay } from '@offer-ads/platform/messaging/outbox';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { cpuMsByName } from '../cpu.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { percentile } from '../markdown.ts';

export type Relaying = {
  readonly perSecond: number;
  /** Processor time of this process for each event. */
  readonly nodeCpuMicros: number;
  /** From the commit to the consumer. */
  readonly idleP50Ms: number;
  readonly idleP99Ms: number;
  readonly foreignLoad: number;
};

const WRITTEN_AT_ONCE = 500;

let lastOfferId = 0;
function paid(): OutgoingEvent {
  lastOfferId += 1;
  const at = new Date();
  return newEvent(OfferPaid, {
    subject: `offer/${lastOfferId}`,
    subjectVersion: 1,
    at,
    data: {
      offerId: lastOfferId,
      organisationId: 1 + (lastOfferId % 1_000),
      mode: 'TEST',
      currency: 'GBP',
      netMinor: '4900',
      vatMinor: '980',
      paidAt: at.toISOString(),
    },
  });
}

/** @param postgres a database of billing whose outbox nobody else relays */
export async function measureRelay(o: {
  postgres: Postgres;
  rabbitmqUrl: string;
  events: number;
  alone: number;
}): Promise<Relaying> {
  const { postgres } = o;
  const foundation = {
    logger: createLogger({ service: 'bench', level: 'silent' }),
    metrics: createMetrics('bench'),
  };
  await using opened = new AsyncDisposableStack();
  const namespace = `relay-${randomUUID().slice(0, 8)}`;
  const connect = (service: 'billing' | 'offers') =>
    connectBroker({ url: o.rabbitmqUrl, service, declarations: [OfferPaid], namespace, ...foundation });
  // Makes the queue. It takes nothing before the events were counted, because it would take processor time.
  const offers = opened.use(await connect('offers'));
  const broker = opened.use(await connect('billing'));
  while (!(offers.connected() && broker.connected())) await new Promise((resolve) => setTimeout(resolve, 10));
  await postgres.query('TRUNCATE outbox, sent_events');
  for (let left = o.events; left > 0; left -= WRITTEN_AT_ONCE)
    await postgres.transaction((tx) =>
      addToOutbox(tx, Array.from({ length: Math.min(left, WRITTEN_AT_ONCE) }, paid)),
    );
  await waitUntilIdle();
  const foreignLoad = watchForeignLoad();
  const cpuMs = () => cpuMsByName(process.pid, new Map([[process.pid, 'the bench']])).get('the bench') ?? 0;
  const [cpuBefore, began] = [cpuMs(), performance.now()];
  const relay = opened.use(startOutboxRelay({ postgres, broker, ...foundation }));
  await relay.flush();
  const [cpuUsedMs, seconds] = [cpuMs() - cpuBefore, (performance.now() - began) / 1_000];
  const [left] = await postgres.query<{ events: bigint }>('SELECT count(*) AS events FROM outbox');
  if (left?.events !== 0n) throw new Error(`${left?.events} events were not relayed`);
  const load = foreignLoad();

  const arrivals = new Map<number, () => void>();
  await offers.consume([on(OfferPaid, async ({ data }) => arrivals.get(data.offerId)?.())]);
  const latenciesMs: number[] = [];
  const publishOne = async () => {
    const event = paid();
    const arrived = new Promise<void>((resolve) => void arrivals.set(lastOfferId, resolve));
    await postgres.transaction((tx) => addToOutbox(tx, [event]));
    const committed = performance.now();
    await arrived;
    latenciesMs.push(performance.now() - committed);
  };
  // Comes after all those of before.
  await publishOne();
  await waitUntilIdle();
  latenciesMs.length = 0;
  for (let number = 0; number < o.alone; number += 1) await publishOne();
  return {
    perSecond: o.events / seconds,
    nodeCpuMicros: (cpuUsedMs * 1_000) / o.events,
    idleP50Ms: percentile(latenciesMs, 50),
    idleP99Ms: percentile(latenciesMs, 99),
    foreignLoad: load,
  };
}
