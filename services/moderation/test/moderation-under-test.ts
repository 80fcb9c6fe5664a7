/** The service on a real MongoDB, with a model that says what a test wants to hear, or with the real one. */
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { adminActorHeader } from '@offer-ads/platform/admin/routes';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import type { ModerationConfig } from '../src/config.ts';
import type { Model } from '../src/model/nsfwjs-model.ts';
import { startModeration } from '../src/service.ts';
import { verdictIn } from './verdict-in.ts';

export type TestModel = Model & {
  /** How explicit every look is; null: there is no answer, but a 503. */
  says: number | null;
  /** Waited for before each answer. */
  gate: Promise<void>;
  /** Pictures that it looked at. */
  asked: number;
};

function testModel(): TestModel {
  const model: TestModel = {
    says: 0.1,
    gate: Promise.resolve(),
    asked: 0,
    identity: { name: 'test-model', version: '1' },
    score: async (looks) => {
      model.asked += 1;
      await model.gate;
      const { says } = model;
      if (says === null) throw serviceUnavailable('the model is away');
      return looks.map(() => ({ explicit: says, suggestive: says, labels: { Odd: says } }));
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return model;
}

export type Replica = AsyncDisposable & {
  readonly url: string;
  readonly adminUrl: string;
  /** Whatever the reply is; as offers' callers do, again while there is none for want of time. */
  readonly upload: (
    bytes: Uint8Array,
    as?: { mode?: Mode; organisationId?: number },
  ) => Promise<VerdictReply>;
  readonly uploadStatus: (bytes: Uint8Array) => Promise<number>;
  /** Again while a store does not answer in time. */
  /** `by`: who does it, as the console says. */
  readonly admin: (
    call: string,
    json?: object,
    o?: { token?: string; by?: string },
  ) => Promise<{ status: number; body: unknown }>;
};

export type ModerationUnderTest = AsyncDisposable &
  Replica & {
    readonly clock: TestClock;
    readonly model: TestModel;
    readonly mongo: TestMongo;
    /** To MongoDB. */
    readonly wire: TcpProxy;
    /** On the same database. */
    readonly another: (settings?: Partial<ModerationConfig>, other?: Model) => Promise<Replica>;
  };

/** @param given a model instead of the one that says what a test wants; the service does not end it */
export async function moderationUnderTest(
  settings: Partial<ModerationConfig> = {},
  given?: Model,
): Promise<ModerationUnderTest> {
  const started = new AsyncDisposableStack();
  const mongo = await createTestMongo();
  started.defer(mongo.dispose);
  const wire = started.use(await startTcpProxy(mongo.url));
  const model = testModel();
  // Ahead of MongoDB's own clock, by which it deletes what is over.
  const clock = testClock('2090-06-01T12:00:00.000Z');

  async function start(more: Partial<ModerationConfig> = {}, other = given ?? model): Promise<Replica> {
    const running = started.use(
      await startWhenStoresServe(() =>
        startModeration(
          {
            HOST: '127.0.0.1',
            PORT: 0,
            ADMIN_PORT: 0,
            LOG_LEVEL: 'silent',
            MONGO_URL: wire.url,
            ADMIN_TOKEN_HASHES: adminTokenHashes,
            AUDIT_RETENTION_DAYS: 730,
            MODERATION_CONTEXT_SECRET: testContextSecret,
            EXPLICIT_THRESHOLD: 0.6,
            SUGGESTIVE_THRESHOLD: 0.9,
            PICTURES_AT_ONCE: 2,
            MAX_WAITING: 16,
            PICTURE_SECONDS_PER_HOUR: 3_600,
            ...settings,
            ...more,
          },
          { logger: silentLogger, model: { ...other, [Symbol.asyncDispose]: async () => {} }, clock },
        ),
      ),
    );
    const { url, adminUrl } = running;
    const post = (bytes: Uint8Array, as: { mode?: Mode; organisationId?: number } = {}) =>
      fetch(`${url}/internal/verdicts`, {
        method: 'POST',
        headers: {
          ...signedCaller({ audience: 'moderation', ...as }),
          'content-type': 'application/octet-stream',
        },
        body: new Uint8Array(bytes),
      });
    return {
      url,
      adminUrl,
      [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
      upload: async (bytes, as) => verdictIn(await patiently(() => post(bytes, as))),
      uploadStatus: async (bytes) => (await post(bytes)).status,
      admin: async (call, json, { token = adminToken, by = 'ann' } = {}) => {
        const [method = '', path = ''] = call.split(' ');
        const response = await patiently(() =>
          fetch(`${adminUrl}/admin${path}`, {
            method,
            headers: {
              authorization: `Bearer ${token}`,
              [adminActorHeader]: by,
              'content-type': 'application/json',
            },
            ...(json !== undefined && { body: JSON.stringify(json) }),
          }),
        );
        return { status: response.status, body: await response.json() };
      },
    };
  }

  const first = await start();
  return {
    ...first,
    another: start,
    model,
    clock,
    mongo,
    wire,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** What a person decides. */
export function ruling(action: 'allow' | 'block' | 'withdraw', of: string | Uint8Array) {
  const who = { action, reason: 'because' };
  return typeof of === 'string'
    ? { ...who, name: of }
    : { ...who, imageBase64: Buffer.from(of).toString('base64') };
}
