/** Webhooks on a database of their own: as many receivers and deliveries as a test wants. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { Clock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { contactsStore } from '../../src/contacts-store.ts';
import type { EndpointSecret } from '../../src/domain/webhooks/endpoint.ts';
import { webhookSources } from '../../src/domain/webhooks/webhook-messages.ts';
import { openNotificationsStore } from '../../src/notifications-store.ts';
import { startWebhookDelivery } from '../../src/webhooks/deliver-webhooks.ts';
import {
  type Endpoint,
  type EndpointsStore,
  type NewEndpoint,
  newEndpointId,
  openEndpointsStore,
} from '../../src/webhooks/endpoints-store.ts';
import { endpointManager } from '../../src/webhooks/manage-endpoints.ts';
import { type MessagesStore, openMessagesStore } from '../../src/webhooks/messages-store.ts';
import { createPoster, type Poster } from '../../src/webhooks/post.ts';
import { webhookQueue } from '../../src/webhooks/queue-messages.ts';
import { createSecretBox, type SecretBox } from '../../src/webhooks/secret-box.ts';
import { newEndpointKeys, textOfKeys } from '../../src/webhooks/signature.ts';
import { switchingOff } from '../../src/webhooks/switch-off.ts';
import { cornerCafe, sampleOf } from '../events.ts';
import { connect, notTooOld, readableLogger, setUpStore } from '../test-store.ts';

export const sealSecret = 'a-seal-secret-of-webhooks-that-only-tests-use-01';
export const box = createSecretBox(sealSecret);
export const aSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export async function setUpWebhooks() {
  await using opening = new AsyncDisposableStack();
  const { url, mongo } = opening.use(await setUpStore());
  const clock = testClock(notTooOld);
  const parts = await partsOn(mongo, clock);
  const { endpoints } = parts;
  await mongo.transaction((session) => contactsStore(mongo).save(session, cornerCafe, 1));
  const wakes = new Set<() => void>();
  const wake = () => wakes.forEach((one) => one());
  const queue = webhookQueue({ ...parts, wake });
  const opened = opening.move();
  let running = new AsyncDisposableStack();
  let events = 0;
  return {
    mongo,
    clock,
    ...parts,
    manage: endpointManager({ ...parts, box, testTargets: 'any', clock, wake }),
    /** An endpoint in TEST mode of the organisation of `cornerCafe`. */
    addEndpoint: (port: number, facts: Partial<NewEndpoint> = {}) =>
      addEndpoint(endpoints, port, facts, clock),
    endpoint: async (id: string) => (await endpoints.ofOrganisations([1, 2])).find((one) => one.id === id),
    /** As if the broker had delivered the event. */
    hear: async (o: { type?: string; id?: string; data?: object } = {}) => {
      const { type = 'balance.low', id = `event-${(events += 1)}` } = o;
      const source = webhookSources.find((one) => one.type === type);
      if (source === undefined) throw new Error(`no event becomes ${type}`);
      const data = { ...(sampleOf(source.declaration) as object), mode: 'TEST', ...o.data };
      await queue([{ declaration: source.declaration, id, time: clock.now(), data, trace: {} }]);
    },
    mails: async () => {
      type Mail = { recipient: string; message: { subject: string; text: string } };
      const notifications = mongo.connection.collection<Mail>('notifications');
      const found = await notifications.find().sort({ _id: 1 }).toArray();
      return found.map(({ recipient, message: { subject, text } }) => ({ recipient, subject, text }));
    },
    /** Like another process. */
    deliver: async ({
      post = createPoster(),
      messages: changes,
      log = [],
    }: {
      post?: Poster;
      messages?: Partial<MessagesStore>;
      log?: string[];
    } = {}) => {
      const parts = await partsOn(running.use(await connect(url)), clock);
      const delivery = running.use(
        startWebhookDelivery({
          ...parts,
          messages: { ...parts.messages, ...changes },
          post,
          box,
          testTargets: 'any',
          clock,
          logger: readableLogger(log),
          metrics: createMetrics('test'),
          chance: () => 0,
        }),
      );
      wakes.add(delivery.wake);
      return delivery;
    },
    /** For the next test: no delivery runs, and nothing is stored but the organisation. */
    reset: async () => {
      wakes.clear();
      await running.disposeAsync();
      running = new AsyncDisposableStack();
      clock.set(notTooOld);
      for (const name of ['webhook_endpoints', 'webhook_messages', 'notifications'])
        await mongo.connection.collection(name).deleteMany({});
    },
    [Symbol.asyncDispose]: async () => {
      await running.disposeAsync();
      await opened.disposeAsync();
    },
  };
}

/** The keys of an endpoint as they are stored: `aSecret` with some private key. */
export function sealedKeys(id: string, sealing: SecretBox = box): EndpointSecret {
  const { publicKey, privateKey } = newEndpointKeys();
  return { sealed: sealing.seal(textOfKeys({ secret: aSecret, privateKey }), id), publicKey };
}

export async function addEndpoint(
  endpoints: EndpointsStore,
  port: number,
  facts: Partial<NewEndpoint>,
  clock: Clock,
): Promise<Endpoint> {
  const id = facts.id ?? newEndpointId();
  const endpoint: NewEndpoint = {
    id,
    organisationId: 1,
    mode: 'TEST',
    url: `http://127.0.0.1:${port}/hooks?of=${id}`,
    secrets: [sealedKeys(id)],
    ...facts,
  };
  const added = await endpoints.add(endpoint, { at: clock.now(), by: 'a test', what: 'created' });
  if (!added.ok) throw new Error(`no endpoint was made: ${added.reason}`);
  return added.endpoint;
}

async function partsOn(mongo: Mongo, clock: Clock) {
  const stores = {
    endpoints: await openEndpointsStore(mongo, clock),
    messages: await openMessagesStore(mongo, clock),
    notifications: await openNotificationsStore(mongo, clock),
    contacts: contactsStore(mongo),
  };
  const portalUrl = 'https://ads.example/portal';
  return { ...stores, switchOff: switchingOff({ mongo, ...stores, portalUrl, wakeMails: () => {} }) };
}
