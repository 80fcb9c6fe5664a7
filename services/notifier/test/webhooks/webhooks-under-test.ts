/** Webhooks on a database of their own: as many receivers and deliveries as a test wants. */
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import type { Clock } from '@offer-ads/platform/process/clock';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { contactsStore } from '../../src/contacts-store.ts';
import { type WebhookSource, webhookSources } from '../../src/domain/webhooks/webhook-messages.ts';
import type { DueWork } from '../../src/due-work.ts';
import { openNotificationsStore } from '../../src/notifications-store.ts';
import { startWebhookDelivery } from '../../src/webhooks/deliver-webhooks.ts';
import {
  type Endpoint,
  type EndpointsStore,
  type NewEndpoint,
  newEndpointId,
  openEndpointsStore,
} from '../../src/webhooks/endpoints-store.ts';
import { endpointManager, type ManageEndpoints } from '../../src/webhooks/manage-endpoints.ts';
import { type MessagesStore, openMessagesStore } from '../../src/webhooks/messages-store.ts';
import { createPoster, type Poster } from '../../src/webhooks/post.ts';
import { webhookQueue } from '../../src/webhooks/queue-messages.ts';
import { createSecretBox } from '../../src/webhooks/secret-box.ts';
import { switchingOff } from '../../src/webhooks/switch-off.ts';
import { cornerCafe, lowData } from '../events.ts';

export const sealSecret = 'a-seal-secret-of-webhooks-that-only-tests-use-01';
export const box = createSecretBox(sealSecret);
export const aSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export type WebhooksUnderTest = AsyncDisposable & {
  readonly mongoUrl: string;
  readonly mongo: Mongo;
  readonly clock: TestClock;
  readonly endpoints: EndpointsStore;
  readonly messages: MessagesStore;
  readonly manage: ManageEndpoints;
  /** An endpoint in TEST mode of the organisation of `cornerCafe`. */
  readonly addEndpoint: (port: number, facts?: Partial<NewEndpoint>) => Promise<Endpoint>;
  readonly endpoint: (id: string) => Promise<Endpoint | undefined>;
  /** As if the broker had delivered the event. */
  readonly hear: (o?: { type?: string; id?: string; data?: object }) => Promise<void>;
  readonly mails: () => Promise<readonly { recipient: string; subject: string; text: string }[]>;
  /** Like another process. */
  readonly deliver: (o?: {
    readonly post?: Poster;
    readonly messages?: Partial<MessagesStore>;
    readonly log?: string[];
  }) => Promise<DueWork>;
};

/** In the future, so that MongoDB does not remove messages as too old. */
const at = new Date('2036-06-01T12:00:00.000Z');

export async function setUpWebhooks(): Promise<WebhooksUnderTest> {
  await using opening = new AsyncDisposableStack();
  const database = await createTestMongo();
  opening.defer(() => database.dispose());
  const mongo = opening.use(await open(database.url));
  const clock = testClock(at);
  const [endpoints, messages] = await openStores(mongo, clock);
  await mongo.transaction((session) => contactsStore(mongo).save(session, cornerCafe, 1));
  const wakes = new Set<() => void>();
  const wake = () => wakes.forEach((one) => one());
  const queue = webhookQueue({ endpoints, messages, wake, gatherMs: 1 });
  const opened = opening.move();
  let events = 0;
  return {
    mongoUrl: database.url,
    mongo,
    clock,
    endpoints,
    messages,
    manage: endpointManager({ mongo, endpoints, messages, box, testTargets: 'any', clock, wake }),
    addEndpoint: (port, facts = {}) => addEndpoint(endpoints, port, facts, clock),
    endpoint: async (id) => (await endpoints.ofOrganisations([1, 2])).find((one) => one.id === id),
    hear: async ({ type = 'balance.low', id = `event-${(events += 1)}`, data = {} } = {}) => {
      const time = clock.now();
      await queue(sourceOf(type), { id, time, data: { ...lowData, mode: 'TEST', ...data } });
    },
    mails: async () => {
      type Mail = { recipient: string; message: { subject: string; text: string } };
      const found = await mongo.connection
        .collection<Mail>('notifications')
        .find()
        .sort({ _id: 1 })
        .toArray();
      return found.map(({ recipient, message: { subject, text } }) => ({ recipient, subject, text }));
    },
    deliver: async ({ post = createPoster(), messages: changes, log = [] } = {}) => {
      const mongo = opened.use(await open(database.url));
      const [endpoints, messages, notifications] = await openStores(mongo, clock);
      const delivery = opened.use(
        startWebhookDelivery({
          endpoints,
          messages: { ...messages, ...changes },
          post,
          box,
          switchOff: switchingOff({
            mongo,
            endpoints,
            messages,
            contacts: contactsStore(mongo),
            notifications,
            portalUrl: 'https://ads.example/portal',
            clock,
            wakeMails: () => {},
          }),
          testTargets: 'any',
          clock,
          logger: createLogger({
            service: 'notifier',
            level: 'info',
            destination: { write: (line: string) => void log.push(line) },
          }),
          metrics: createMetrics('test'),
          chance: () => 0,
        }),
      );
      wakes.add(delivery.wake);
      return delivery;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
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
    secrets: [{ sealed: box.seal(aSecret, id) }],
    ...facts,
  };
  const added = await endpoints.add(endpoint, { at: clock.now(), by: 'a test', what: 'created' });
  if (!added.ok) throw new Error(`no endpoint was made: ${added.reason}`);
  return added.endpoint;
}

function sourceOf(type: string): WebhookSource {
  const source = webhookSources.find((one) => one.type === type);
  if (source === undefined) throw new Error(`no event becomes ${type}`);
  return source;
}

function openStores(mongo: Mongo, clock: Clock) {
  return Promise.all([
    openEndpointsStore(mongo, clock),
    openMessagesStore(mongo, clock),
    openNotificationsStore(mongo, clock),
  ]);
}

function open(url: string): Promise<Mongo> {
  return startWhenStoresServe(() => openMongo({ url, logger: silentLogger, metrics: createMetrics('test') }));
}
