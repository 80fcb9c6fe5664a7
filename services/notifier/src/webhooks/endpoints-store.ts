/**
 * Endpoints of webhooks, and their lines: the messages of an endpoint are sent one after the other by the process that has leased its
 * line. So a slow endpoint delays only itself.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { EventType } from '@offer-ads/contracts/webhooks/webhook-types';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import mongoose, { type ClientSession } from 'mongoose';
import { contactsStore } from '../contacts-store.ts';
import {
  admitEndpoint,
  type CreateRefusal,
  type Creation,
  type EndpointSecret,
  rolledSecrets,
} from '../domain/webhooks/endpoint.ts';
import type { FailingSince } from '../domain/webhooks/schedule.ts';
import { databaseClock } from '../due-work.ts';

/** Why it is off: its organisation asked for it, all attempts of five days failed, it answered that it is gone, or the platform team did it. */
export type OffBecause = 'requested' | 'failing' | 'gone' | 'platform';

/** Whose endpoint it is: nothing of another organisation or mode is found or changed. */
export type Owner = { readonly organisationId: number; readonly mode: Mode };

/** Who did what, for the platform team. `by`: `person 7`, `key 3 of person 7`, the name of an admin credential, or `system`. */
export type Change = { readonly at: Date; readonly by: string; readonly what: string };

export type Endpoint = Owner & {
  readonly id: string;
  readonly url: string;
  readonly description?: string;
  /** Undefined: all, also those that a release adds. */
  readonly types?: readonly EventType[];
  /** Messages are signed by `v1a` too. */
  readonly ed25519?: true;
  /** The newest first. */
  readonly secrets: readonly EndpointSecret[];
  readonly state: 'on' | 'off';
  readonly offBecause?: OffBecause;
  readonly failing?: FailingSince;
  readonly createdAt: Date;
  /** The latest ones, the last one last. */
  readonly changes: readonly Change[];
};

/** What its organisation chooses. */
export type EndpointFacts = Pick<Endpoint, 'url' | 'description' | 'types' | 'ed25519'>;
export type NewEndpoint = Owner &
  EndpointFacts &
  Pick<Endpoint, 'id' | 'secrets'> & { readonly creation?: Creation };

/** An endpoint whose messages only this process may send. */
export type Line = Endpoint & {
  readonly lease: string;
  /** By the database's clock. */
  readonly claimedAt: Date;
};

export type EndpointsStore = Awaited<ReturnType<typeof openEndpointsStore>>;

type EndpointDocument = Omit<Endpoint, 'id' | 'secrets' | 'changes'> & {
  _id: string;
  secrets: EndpointSecret[];
  changes: Change[];
  creation?: Creation;
  /** When its next message is due; missing when it has none. While a process sends: the end of the lease, unless messages were added. */
  dueAt?: Date;
  lease?: string;
  /** In the past when nobody sends. */
  leasedUntil: Date;
  claimedAt?: Date;
};

/** Longer than an attempt (post.ts); shorter than what a killed process may delay. */
export const lineLeaseMs = 60_000;
const never = new Date(0);
const changesKept = 20;

export function newEndpointId(): string {
  return `we_${randomBytes(15).toString('base64url')}`;
}

/** All times are the database's, because the clocks of replicas differ. Only a clock set by a test is used instead. */
export async function openEndpointsStore(mongo: Mongo, clock: Clock = systemClock) {
  const endpoints = mongo.connection.collection<EndpointDocument>('webhook_endpoints');
  await endpoints.createIndex({ organisationId: 1, mode: 1, url: 1 }, { name: 'addresses', unique: true });
  await endpoints.createIndex(
    { dueAt: 1 },
    { name: 'waiting_lines', partialFilterExpression: { state: 'on', dueAt: { $exists: true } } },
  );
  const contacts = contactsStore(mongo);
  const now = databaseClock(clock);
  const waits = () => ({
    state: 'on' as const,
    dueAt: { $exists: true },
    $expr: { $and: [{ $lte: ['$dueAt', now()] }, { $lte: ['$leasedUntil', now()] }] },
  });

  return {
    add: async (
      { id, ...facts }: NewEndpoint,
      made: Change,
    ): Promise<
      | { readonly ok: true; readonly endpoint: Endpoint; readonly isReplayed: boolean }
      | { readonly ok: false; readonly reason: CreateRefusal }
    > => {
      const { organisationId, mode } = facts;
      const added = await unlessTaken(
        mongo.transaction(async (session) => {
          // Creations at the same moment come one after the other, so that they cannot pass the bound together.
          await contacts.await(session, organisationId);
          const existing = await endpoints.find({ organisationId, mode }, { session }).toArray();
          const admitted = admitEndpoint(existing, facts, made.at);
          if (!admitted.ok) return admitted;
          if (admitted.replayed !== undefined)
            return { ok: true, endpoint: endpointOf(admitted.replayed), isReplayed: true } as const;
          const document: EndpointDocument = {
            _id: id,
            ...facts,
            secrets: [...facts.secrets],
            state: 'on',
            createdAt: made.at,
            changes: [made],
            leasedUntil: never,
          };
          await endpoints.insertOne(document, { session });
          return { ok: true, endpoint: endpointOf(document), isReplayed: false } as const;
        }),
      );
      return added === 'taken' ? { ok: false, reason: 'url-taken' } : added;
    },
    /** The oldest first. `mode`: undefined for both. */
    list: async ({ organisationId, mode }: { readonly organisationId: number; readonly mode?: Mode }) => {
      const found = await endpoints
        .find({ organisationId, ...(mode && { mode }) })
        .sort({ createdAt: 1, _id: 1 })
        .toArray();
      return found.map(endpointOf);
    },
    /** `owner`: undefined for the platform team. */
    find: async (_id: string, owner?: Owner) => {
      const found = await endpoints.findOne({ _id, ...owner });
      return found === null ? undefined : endpointOf(found);
    },
    change: async (
      _id: string,
      owner: Owner,
      { url, description, types, ed25519 }: EndpointFacts,
      change: Change,
    ): Promise<Endpoint | 'url-taken' | undefined> => {
      const changed = await unlessTaken(
        endpoints.findOneAndUpdate(
          { _id, ...owner },
          {
            $set: {
              url,
              ...(description !== undefined && { description }),
              ...(types && { types }),
              ...(ed25519 && { ed25519 }),
            },
            $unset: {
              ...(description === undefined && { description: '' }),
              ...(!types && { types: '' }),
              ...(!ed25519 && { ed25519: '' }),
            },
            $push: noted(change),
          },
          { returnDocument: 'after' },
        ),
      );
      if (changed === 'taken') return 'url-taken';
      return changed === null ? undefined : endpointOf(changed);
    },
    roll: async (
      _id: string,
      owner: Owner,
      fresh: EndpointSecret,
      change: Change,
    ): Promise<Endpoint | 'rolled-too-often' | undefined> =>
      mongo.transaction(async (session) => {
        const found = await endpoints.findOne({ _id, ...owner }, { session });
        if (found === null) return undefined;
        const secrets = rolledSecrets(found.secrets, fresh, change.at);
        if (secrets === null) return 'rolled-too-often';
        const rolled = await endpoints.findOneAndUpdate(
          { _id },
          { $set: { secrets: [...secrets] }, $push: noted(change) },
          { returnDocument: 'after', session },
        );
        return rolled === null ? undefined : endpointOf(rolled);
      }),
    /** The secrets are gone at once. Messages stay until they are old; without an endpoint nobody can read them. */
    remove: async (_id: string, owner: Owner) =>
      (await endpoints.deleteOne({ _id, ...owner })).deletedCount === 1,
    ofOrganisations: async (organisationIds: readonly number[]): Promise<readonly Endpoint[]> => {
      const wanted = { organisationId: { $in: [...new Set(organisationIds)] } };
      return (await endpoints.find(wanted).toArray()).map(endpointOf);
    },
    /** Their messages are looked at from now on. Call it after they are stored. */
    noteMessages: async (ids: readonly string[]) => {
      if (ids.length === 0) return;
      // $min ignores what is missing.
      await endpoints.updateMany({ _id: { $in: [...ids] } }, [
        { $set: { dueAt: { $min: ['$dueAt', now()] } } },
      ]);
    },
    /** Of the lines with messages to send, the one that has waited longest; undefined if there is none. */
    claim: async (): Promise<Line | undefined> => {
      const lease = randomUUID();
      const leaseEnd = { $add: [now(), lineLeaseMs] };
      const claimed = await endpoints.findOneAndUpdate(
        waits(),
        [{ $set: { lease, claimedAt: now(), leasedUntil: leaseEnd, dueAt: leaseEnd } }],
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      );
      if (claimed?.claimedAt === undefined) return undefined;
      return { ...endpointOf(claimed), lease, claimedAt: claimed.claimedAt };
    },
    /** `dueAt`: of its next message. `pauseMs`: how long the endpoint is left alone at least. */
    release: async ({ id: _id, lease }: Line, dueAt: Date | undefined, pauseMs: number) => {
      const earliest = pauseMs === 0 ? null : { $add: [now(), pauseMs] };
      const next = dueAt === undefined ? '$$REMOVE' : { $max: [dueAt, earliest] };
      // Messages that were added meanwhile have set `dueAt`, and are due.
      const wasAdded = { $lt: ['$dueAt', '$leasedUntil'] };
      await endpoints.updateOne({ _id, lease }, [
        { $set: { dueAt: { $cond: [wasAdded, '$dueAt', next] }, leasedUntil: never } },
        { $unset: ['lease', 'claimedAt'] },
      ]);
    },
    noteFailing: async (_id: string, failing: FailingSince | undefined) => {
      await endpoints.updateOne(
        { _id, state: 'on' },
        failing === undefined ? { $unset: { failing: '' } } : { $set: { failing } },
      );
    },
    /** False if it was off already. The platform team also takes over what is off for another reason. */
    switchOff: async (session: ClientSession, _id: string, offBecause: OffBecause, change: Change) => {
      const { modifiedCount } = await endpoints.updateOne(
        { _id, ...(offBecause === 'platform' ? { offBecause: { $ne: offBecause } } : { state: 'on' }) },
        {
          $set: { state: 'off', offBecause },
          $unset: { dueAt: '', failing: '' },
          $push: noted(change),
        },
        { session },
      );
      return modifiedCount === 1;
    },
    /** An owner switches on what the platform team has not switched off. Undefined if there was nothing to do. */
    switchOn: async (_id: string, change: Change, owner?: Owner) => {
      const on = await endpoints.findOneAndUpdate(
        { _id, state: 'off', ...(owner && { ...owner, offBecause: { $ne: 'platform' } }) },
        { $set: { state: 'on' }, $unset: { offBecause: '', failing: '' }, $push: noted(change) },
        { returnDocument: 'after' },
      );
      return on === null ? undefined : endpointOf(on);
    },
    /** Since when the line that has waited longest waits; undefined if none waits. Failing endpoints do not count. */
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

function noted(change: Change): { changes: { $each: Change[]; $slice: number } } {
  return { changes: { $each: [change], $slice: -changesKept } };
}

/** `taken`: another document has a value that is unique. */
async function unlessTaken<T>(write: Promise<T>): Promise<T | 'taken'> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === duplicateKey) return 'taken';
    throw error;
  }
}
const duplicateKey = 11_000;

function endpointOf(document: EndpointDocument): Endpoint {
  const { _id: id, creation: _creation, dueAt: _dueAt, lease: _lease, ...rest } = document;
  const { leasedUntil: _leasedUntil, claimedAt: _claimedAt, ...endpoint } = rest;
  return { id, ...endpoint };
}
