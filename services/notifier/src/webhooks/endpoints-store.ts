/**
 * Endpoints of webhooks, and their lines: the messages of an endpoint are sent one after the other by the process that has leased its
 * line. So a slow endpoint delays only itself.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { WebhookType } from '@offer-ads/contracts/webhooks/webhook-types';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import type { ClientSession } from 'mongoose';
import type { FailingSince } from '../domain/webhooks/schedule.ts';

/** Why it is off: a person asked for it, all attempts of five days failed, or it answered that it is gone. */
export type OffBecause = 'asked' | 'failing' | 'gone';

/** `until`: signs until then, because a newer secret has replaced it. */
export type EndpointSecret = { readonly sealed: string; readonly until?: Date };

export type Endpoint = {
  readonly id: string;
  readonly organisationId: number;
  readonly mode: Mode;
  readonly url: string;
  /** Undefined: all, also those that a release adds. */
  readonly types?: readonly WebhookType[];
  /** The newest first. */
  readonly secrets: readonly EndpointSecret[];
  readonly state: 'on' | 'off';
  readonly offBecause?: OffBecause;
  readonly failing?: FailingSince;
  readonly createdAt: Date;
};

export type NewEndpoint = Pick<Endpoint, 'id' | 'organisationId' | 'mode' | 'url' | 'types' | 'secrets'>;

/** An endpoint whose messages only this process may send. */
export type Line = Endpoint & {
  readonly lease: string;
  /** By the database's clock. */
  readonly claimedAt: Date;
  /** How often messages had been added when it was claimed. */
  readonly added: number;
};

export type EndpointsStore = {
  readonly add: (endpoint: NewEndpoint, now: Date) => Promise<Endpoint>;
  readonly ofOrganisations: (organisationIds: readonly number[]) => Promise<readonly Endpoint[]>;
  /** Its messages are looked at from now on. Call it after they are stored. */
  readonly noteMessages: (ids: readonly string[]) => Promise<void>;
  /** Of the lines with messages to send, the one that has waited longest; undefined if there is none. `isFailing`: undefined for both. */
  readonly claim: (o: {
    readonly besides: readonly string[];
    readonly isFailing?: false;
  }) => Promise<Line | undefined>;
  /** `nextDueAt`: of its next message. It does not count if messages were added since the line was claimed. */
  readonly release: (line: Line, nextDueAt: Date | undefined) => Promise<void>;
  readonly noteFailing: (id: string, failing: FailingSince | undefined) => Promise<void>;
  /** False if it was off already. */
  readonly switchOff: (session: ClientSession, id: string, because: OffBecause) => Promise<boolean>;
  /** Since when the line that has waited longest waits; undefined if none waits. Failing endpoints do not count. */
  readonly oldestWaiting: () => Promise<Date | undefined>;
};

type EndpointDocument = Omit<Endpoint, 'id'> & {
  _id: string;
  /** When its next message is due; missing when it has none. */
  dueAt?: Date;
  added: number;
  lease?: string;
  /** In the past when nobody sends. */
  leasedUntil: Date;
  claimedAt?: Date;
};

/** Longer than a turn and the attempt that it may end with (deliver-webhooks.ts); shorter than what a killed process may delay. */
export const lineLeaseMs = 60_000;
const never = new Date(0);

export function newEndpointId(): string {
  return `we_${randomBytes(15).toString('base64url')}`;
}

/** All times are the database's, because the clocks of replicas differ. Only a clock set by a test is used instead. */
export async function openEndpointsStore(mongo: Mongo, clock: Clock = systemClock): Promise<EndpointsStore> {
  const endpoints = mongo.connection.collection<EndpointDocument>('webhook_endpoints');
  await endpoints.createIndex({ organisationId: 1 }, { name: 'of_organisation' });
  await endpoints.createIndex(
    { dueAt: 1 },
    { name: 'waiting_lines', partialFilterExpression: { state: 'on', dueAt: { $exists: true } } },
  );
  const now = () => (clock === systemClock ? '$$NOW' : clock.now());
  const waits = () => ({
    state: 'on' as const,
    dueAt: { $exists: true },
    $expr: { $and: [{ $lte: ['$dueAt', now()] }, { $lte: ['$leasedUntil', now()] }] },
  });

  return {
    add: async ({ id, ...facts }, createdAt) => {
      const document: EndpointDocument = {
        _id: id,
        ...facts,
        state: 'on',
        createdAt,
        added: 0,
        leasedUntil: never,
      };
      await endpoints.insertOne(document);
      return endpointOf(document);
    },
    ofOrganisations: async (organisationIds) => {
      const wanted = { organisationId: { $in: [...new Set(organisationIds)] } };
      return (await endpoints.find(wanted).toArray()).map(endpointOf);
    },
    noteMessages: async (ids) => {
      if (ids.length === 0) return;
      // $min ignores what is missing.
      await endpoints.updateMany({ _id: { $in: [...ids] } }, [
        { $set: { added: { $add: ['$added', 1] }, dueAt: { $min: ['$dueAt', now()] } } },
      ]);
    },
    claim: async ({ besides, isFailing }) => {
      const lease = randomUUID();
      const claimed = await endpoints.findOneAndUpdate(
        {
          ...waits(),
          _id: { $nin: [...besides] },
          ...(isFailing === undefined ? {} : { failing: { $exists: isFailing } }),
        },
        [{ $set: { lease, claimedAt: now(), leasedUntil: { $add: [now(), lineLeaseMs] } } }],
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      );
      if (claimed?.claimedAt === undefined) return undefined;
      return { ...endpointOf(claimed), lease, claimedAt: claimed.claimedAt, added: claimed.added };
    },
    release: async ({ id: _id, lease, added }, nextDueAt) => {
      const isUnchanged = { $eq: ['$added', added] };
      // Messages that were added meanwhile have set `dueAt`, and are due.
      const dueAt = { $cond: [isUnchanged, nextDueAt ?? '$$REMOVE', now()] };
      await endpoints.updateOne({ _id, lease }, [
        { $set: { dueAt, leasedUntil: never } },
        { $unset: ['lease', 'claimedAt'] },
      ]);
    },
    noteFailing: async (_id, failing) => {
      await endpoints.updateOne(
        { _id },
        failing === undefined ? { $unset: { failing: '' } } : { $set: { failing } },
      );
    },
    switchOff: async (session, _id, offBecause) => {
      const { modifiedCount } = await endpoints.updateOne(
        { _id, state: 'on' },
        { $set: { state: 'off', offBecause }, $unset: { dueAt: '', failing: '' } },
        { session },
      );
      return modifiedCount === 1;
    },
    oldestWaiting: async () => {
      const [oldest] = await endpoints
        .find({ ...waits(), failing: { $exists: false } })
        .sort({ dueAt: 1 })
        .limit(1)
        .toArray();
      return oldest?.dueAt;
    },
  };
}

function endpointOf(document: EndpointDocument): Endpoint {
  const {
    _id: id,
    organisationId,
    mode,
    url,
    types,
    secrets,
    state,
    offBecause,
    failing,
    createdAt,
  } = document;
  return {
    id,
    organisationId,
    mode,
    url,
    secrets,
    state,
    createdAt,
    ...(types && { types }),
    ...(offBecause && { offBecause }),
    ...(failing && { failing }),
  };
}
