/** The exchange, queues and permissions in k8s/stores match what the broker module declares and does. */
import { describe, expect, it } from '@jest/globals';
import { routingKey } from '@offer-ads/contracts/events/event-declaration';
import { allEvents } from '@offer-ads/contracts/events/events';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { RETRY_DELAYS_MS } from '@offer-ads/platform/messaging/broker/broker';
import {
  type BrokerUser,
  brokerNames,
  declareTopology,
  queuesOf,
} from '@offer-ads/platform/messaging/broker/topology';
import { render } from '../render/render.ts';

const names = brokerNames('');
const users = [...serviceNames.filter((name) => name !== 'moderation'), 'admin'] as const;
const consumers = users.filter((user) => queuesOf(user, allEvents).length > 0);
/** The name of the default exchange in permissions; its real name is empty. */
const defaultExchange = 'amq.default';

type Declared = { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
type Topology = {
  readonly exchanges: string[];
  readonly queues: Declared[];
  readonly bindings: { readonly queue: string; readonly key: string }[];
};

async function declaredBy(service: BrokerUser): Promise<Topology> {
  const declared: Topology = { exchanges: [], queues: [], bindings: [] };
  const channel = {
    assertExchange: async (name: string) => void declared.exchanges.push(name),
    assertQueue: async (name: string, options: { arguments: Declared['arguments'] }) =>
      void declared.queues.push({ name, arguments: options.arguments }),
    bindQueue: async (queue: string, _exchange: string, key: string) =>
      void declared.bindings.push({ queue, key }),
  };
  const o = { names, service, declarations: allEvents, retryDelaysMs: RETRY_DELAYS_MS };
  await declareTopology(channel as unknown as Parameters<typeof declareTopology>[0], o);
  return declared;
}

type Spec = Readonly<Record<string, unknown>>;
const manifests = render('stores/operators');
const specsOf = (kind: string) =>
  manifests.filter((manifest) => manifest.kind === kind).map(({ spec }) => spec as Spec);

/** @param user the name in RabbitMQ */
function may(user: string, what: 'configure' | 'write' | 'read', resource: string): boolean {
  return permits('Permission', user, what, resource);
}

function mayUnder(user: string, what: 'write' | 'read', key: string): boolean {
  return permits('TopicPermission', user, what, key);
}

function permits(kind: string, user: string, what: string, text: string): boolean {
  const spec = specsOf(kind).find(({ userReference }) => (userReference as { name: string }).name === user);
  const pattern = (spec?.permissions as Record<string, string> | undefined)?.[what];
  if (pattern === undefined) throw new Error(`${user} has no ${kind}`);
  return new RegExp(pattern).test(text);
}

describe('the exchange and the queues', () => {
  it('are those that services declare, argument by argument', async () => {
    const { exchanges, queues } = await declaredBy('gateway');
    expect(specsOf('Exchange')).toEqual([
      expect.objectContaining({ name: exchanges[0], type: 'topic', durable: true }),
    ]);
    const ours = specsOf('Queue').map(({ name, type, durable, arguments: rest }) => {
      expect(durable).toBe(true);
      return { name, arguments: { ...(rest as object), 'x-queue-type': type } };
    });
    const byName = (a: { name: unknown }, b: { name: unknown }) => (String(a.name) < String(b.name) ? -1 : 1);
    expect(ours.toSorted(byName)).toEqual(queues.toSorted(byName));
  });
});

describe.each(users)('the user %s', (user) => {
  it('may declare what it declares', async () => {
    const { exchanges, queues, bindings } = await declaredBy(user);
    for (const exchange of exchanges) expect(may(user, 'configure', exchange)).toBe(true);
    for (const { name } of queues) expect([name, may(user, 'configure', name)]).toEqual([name, true]);
    for (const { queue, key } of bindings) {
      expect([queue, may(user, 'write', queue)]).toEqual([queue, true]);
      expect(may(user, 'read', names.exchange)).toBe(true);
      expect([key, mayUnder(user, 'read', key)]).toEqual([key, true]);
    }
    // For a new queue with a dead-letter exchange RabbitMQ requires the right to read the queue and to write to that exchange.
    const made = queues.filter(({ name }) => !specsOf('Queue').some((spec) => spec.name === name));
    for (const { name } of made) expect([name, may(user, 'read', name)]).toEqual([name, true]);
    if (made.length > 0) expect(may(user, 'write', defaultExchange)).toBe(true);
  });

  it('may publish exactly its own events', () => {
    // The admin tool publishes made-up views and clicks for tests.
    const isOwn = ({ owner, name }: (typeof allEvents)[number]) =>
      owner === user || (user === 'admin' && /^Offer(Viewed|Clicked)$/.test(name));
    const own = allEvents.filter(isOwn).map(routingKey);
    expect(may(user, 'write', names.exchange)).toBe(own.length > 0);
    const allowed = allEvents.map(routingKey).filter((key) => mayUnder(user, 'write', key));
    expect(allowed).toEqual(own);
  });

  it('may read its own queues and nobody else’s', () => {
    for (const consumer of consumers) {
      const isOwn = consumer === user;
      const kinds = queuesOf(consumer, allEvents);
      for (const queue of [...kinds.map((kind) => names.queue(consumer, kind)), names.parked(consumer)])
        expect([queue, may(user, 'read', queue)]).toEqual([queue, isOwn]);
      for (const kind of kinds)
        for (const delayMs of RETRY_DELAYS_MS)
          expect(may(user, 'configure', names.retry(consumer, kind, delayMs))).toBe(isOwn);
    }
  });

  it('may move messages to its retry and parked queues, if it has any', () => {
    expect(may(user, 'write', defaultExchange)).toBe(consumers.some((consumer) => consumer === user));
  });

  it('has no other rights', () => {
    for (const other of ['amq.topic', 'community', 'offers.other', 'xoffers', 'offer-ads.other'])
      for (const what of ['configure', 'write', 'read'] as const)
        expect([other, what, may(user, what, other)]).toEqual([other, what, false]);
  });
});

describe('the community platform', () => {
  const events = allEvents.map(routingKey);

  it('publishes only members and traffic', () => {
    expect(may('community', 'write', names.exchange)).toBe(true);
    const own = allEvents.filter(({ owner }) => owner === 'community').map(routingKey);
    expect(events.filter((key) => mayUnder('community', 'write', key))).toEqual(own);
  });

  it('reads offers on queues of its own', () => {
    for (const what of ['configure', 'write', 'read'] as const)
      expect(may('community', what, 'community.offers')).toBe(true);
    const ofOffers = allEvents.filter(({ owner }) => owner === 'offers').map(routingKey);
    expect(events.filter((key) => mayUnder('community', 'read', key))).toEqual(ofOffers);
  });

  it('has no rights on our queues, and cannot bypass the exchange', () => {
    for (const resource of [...consumers, ...consumers.map(names.parked), defaultExchange])
      for (const what of ['configure', 'write', 'read'] as const)
        expect([resource, what, may('community', what, resource)]).toEqual([resource, what, false]);
    expect(may('community', 'configure', names.exchange)).toBe(false);
  });
});
