import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@offer-ads/platform/process/clock';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { forEachTest } from '@offer-ads/testing/for-tests';
import { runs } from '@offer-ads/testing/profile';
import { type ServiceProcess, startServiceProcess } from '@offer-ads/testing/service-process';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { openEndpointsStore } from '../src/webhooks/endpoints-store.ts';
import { openMessagesStore } from '../src/webhooks/messages-store.ts';
import { manyMails, setUpDelivery } from './delivery-under-test.ts';
import { answerWith, startReceiver } from './webhooks/receiver.ts';
import { addEndpoint, sealSecret } from './webhooks/webhooks-under-test.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const test = forEachTest(() => setUpDelivery());
let processes: AsyncDisposableStack;
beforeEach(() => {
  processes = new AsyncDisposableStack();
});
afterEach(async () => {
  await processes.disposeAsync();
  await test[Symbol.asyncDispose]();
});

/** The service as a process, on the test's database and mail server. */
async function startProcess(o: { mongoUrl?: string; connections?: number } = {}): Promise<ServiceProcess> {
  return processes.use(
    await startServiceProcess(main, {
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'info',
      ADMIN_TOKEN_HASHES: adminTokenHashes,
      MONGO_URL: o.mongoUrl ?? test.mongoUrl,
      // No broker is there: the mails to send are in the database.
      RABBITMQ_URL: 'amqp://guest:guest@127.0.0.1:9',
      SMTP_URL: test.smtp.url,
      SMTP_CONNECTIONS: `${o.connections ?? 5}`,
      MAIL_FROM: 'Offers <offers@ads.example>',
      PORTAL_URL: 'https://ads.example/portal',
      NOTIFIER_CONTEXT_SECRET: 'a-context-secret-that-only-tests-ever-use-0123',
      UNSUBSCRIBE_SECRET: 'an-unsubscribe-secret-that-only-tests-use-01234',
      WEBHOOK_SEAL_SECRET: sealSecret,
      WEBHOOK_TEST_TARGETS: 'any',
    }),
  );
}

const messageIds = () => test.smtp.taken.map(({ messageId }) => messageId);

async function expectAllRecorded(): Promise<void> {
  await eventually(
    async () =>
      expect(new Set((await test.documents()).map(({ state }) => state))).toEqual(new Set(['sent'])),
    { timeoutMs: 40_000 },
  );
}

describe('a process that is killed after the server accepted a mail and before that is recorded', () => {
  it('causes one second copy of that mail, with the same Message-ID, and loses no mail', async () => {
    for (let round = 0; round < runs(1, 10); round += 1) {
      const takenBefore = test.smtp.taken.length;
      await test.collection().deleteMany({});
      await using proxy = await startTcpProxy(test.mongoUrl);
      const fourth = Promise.withResolvers<string>();
      const reached = test.smtp.reached('content');
      test.smtp.behave((step, turn) =>
        step === 'content' && turn === reached + 4 ? fourth.promise : undefined,
      );
      await test.put(...manyMails(12));
      const victim = await startProcess({ mongoUrl: proxy.url, connections: 1 });
      await eventually(() => expect(test.smtp.reached('content')).toBe(reached + 4));
      // From here on nothing can be recorded, neither over the open connection nor over a new one.
      proxy.takeDown();
      fourth.resolve('250 2.0.0 Ok');
      await eventually(() => expect(test.smtp.taken).toHaveLength(takenBefore + 4));
      await victim.kill();
      expect((await test.documents()).filter(({ state }) => state === 'sent')).toHaveLength(3);

      // As if two minutes had passed.
      await test.collection().updateMany({ state: 'sending' }, [{ $set: { dueAt: '$$NOW' } }]);
      const successor = await startProcess();
      await expectAllRecorded();
      const copies = messageIds().slice(takenBefore);
      expect(copies).toHaveLength(13);
      expect(new Set(copies).size).toBe(12);
      // Nobody can know which of the claimed mails the server had accepted.
      const inherited = (await test.documents()).filter(({ history }) => history?.[0]?.uncertain === true);
      expect(inherited.length).toBeGreaterThanOrEqual(1);
      await successor.kill();
    }
  });
});

describe('a process that is killed after an endpoint took a webhook and before that is recorded', () => {
  it('causes a second copy of that webhook, with the same id, and loses none', async () => {
    await using opened = new AsyncDisposableStack();
    const { mongo } = test;
    const [endpoints, messages] = await Promise.all([openEndpointsStore(mongo), openMessagesStore(mongo)]);
    const proxy = opened.use(await startTcpProxy(test.mongoUrl));
    const shop = opened.use(await startReceiver());
    const { id } = await addEndpoint(endpoints, shop.port, {}, systemClock);
    const message = (number: number) =>
      ({
        id: `msg_${number}`,
        endpointId: id,
        type: 'offer.paused',
        body: '{}',
        state: 'pending',
        trace: {},
      }) as const;
    await messages.add([1, 2, 3].map(message));
    await endpoints.noteMessages([id]);
    const held = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    shop.behave = (socket, received) => {
      if (shop.received.length !== 2) return answerWith(200)(socket, received);
      second.resolve();
      void held.promise.then(() => answerWith(200)(socket, received));
    };
    const victim = await startProcess({ mongoUrl: proxy.url });
    await second.promise;
    // From here on nothing can be recorded.
    proxy.takeDown();
    held.resolve();
    await eventually(() => expect(shop.open()).toBe(0));
    await victim.kill();
    expect(await states()).toEqual(['delivered', 'pending', 'pending']);

    // As if a minute had passed.
    const lines = mongo.connection.collection<{ _id: string }>('webhook_endpoints');
    await lines.updateOne({ _id: id }, [{ $set: { leasedUntil: '$$NOW', dueAt: '$$NOW' } }]);
    const successor = await startProcess();
    await eventually(async () => expect(await states()).toEqual(['delivered', 'delivered', 'delivered']));
    const ids = shop.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ids[0], ids[1], ids[1], ids[3]]);
    expect(new Set(ids).size).toBe(3);
    await successor.kill();

    async function states() {
      const latest = await messages.latest(id, 10);
      return latest.map(({ state }) => state).toSorted((one, other) => one.localeCompare(other));
    }
  });
});
