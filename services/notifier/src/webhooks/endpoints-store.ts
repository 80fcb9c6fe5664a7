/**
 * Endpoints of webhooks, and their lines: the messages of an endpoint are sent one after the other by the process that has leased its
 * line. So a slow endpoint delays only itself.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { EventType } from '@offer-ads/contracts/webhooks/webhook-types';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import { overloaded } from '@offer-ads/platform/process/faults';
import mongoose, { type ClientSession } from 'mongoose';
import {
  type CreateRefusal,
  type Creation,
  type EndpointSecret,
  keysAreFreeFrom,
  placeFor,
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
export type EndpointFacts = Pick<Endpoint, 'url' | 'description' | 'types'>;
export type NewEndpoint = Owner &
  EndpointFacts &
  Pick<Endpoint, 'id' | 'secrets'> & { readonly creation?: Creation };

/** An endpoint whose messages only this process may send. */
export type Line = Endpoint & {
  readonly lease: string;
  /** By the database's clock. */
  readonly claimedAt: Date;
  /** How often messages had been added when it was claimed. */
  readonly added: number;
};

export type EndpointsStore = {
  readonly add: (
    endpoint: NewEndpoint,
    made: Change,
  ) => Promise<
    | { readonly ok: true; readonly endpoint: Endpoint; readonly isReplayed: boolean }
    | { readonly ok: false; readonly reason: CreateRefusal }
  >;
  /** The oldest first. `mode`: undefined for both. */
  readonly list: (o: {
    readonly organisationId: number;
    readonly mode?: Mode;
  }) => Promise<readonly Endpoint[]>;
  /** `owner`: undefined for the platform team. */
  readonly find: (id: string, owner?: Owner) => Promise<Endpoint | undefined>;
  readonly change: (
    id: string,
    owner: Owner,
    facts: EndpointFacts,
    change: Change,
  ) => Promise<Endpoint | 'url-taken' | undefined>;
  readonly roll: (
    id: string,
    owner: Owner,
    sealed: string,
    change: Change,
  ) => Promise<Endpoint | 'rolled-too-often' | undefined>;
  /** The secrets are gone at once. Messages stay until they are old; without an endpoint nobody can read them. */
  readonly remove: (id: string, owner: Owner) => Promise<boolean>;
  readonly ofOrganisations: (organisationIds: readonly number[]) => Promise<readonly Endpoint[]>;
  /** Its messages are looked at from now on. Call it after they are stored. */
  readonly noteMessages: (ids: readonly string[]) => Promise<void>;
  /** Of the lines with messages to send, the one that has waited longest; undefined if there is none. */
  readonly claim: () => Promise<Line | undefined>;
  /** `nextDueAt`: of its next message. It does not count if messages were added since the line was claimed. */
  readonly release: (line: Line, nextDueAt: Date | undefined) => Promise<void>;
  /** The line as it is now; undefined if its endpoint was switched off or deleted, or another process has it. */
  readonly refresh: (line: Line) => Promise<Line | undefined>;
  readonly noteFailing: (id: string, failing: FailingSince | undefined) => Promise<void>;
  /** False if it was off already. The platform team also takes over what is off for another reason. */
  readonly switchOff: (
    session: ClientSession,
    id: string,
    because: OffBecause,
    change: Change,
  ) => Promise<boolean>;
  /** An owner switches on what the platform team has not switched off. Undefined if there was nothing to do. */
  readonly switchOn: (id: string, change: Change, owner?: Owner) => Promise<Endpoint | undefined>;
  /** Since when the line that has waited longest waits; undefined if none waits. Failing endpoints do not count. */
  readonly oldestWaiting: () => Promise<Date | undefined>;
};

type EndpointDocument = Omit<Endpoint, 'id' | 'secrets' | 'changes'> & {
  _id: string;
  secrets: EndpointSecret[];
  changes: Change[];
  /** Unique for organisation and mode, so that two creations at once cannot pass the bound. */
  slot: number;
  creation?: Creation;
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
const changesKept = 20;
/** More than slots: another request has won each time. */
const triesAtMost = 20;

export function newEndpointId(): string {
  return `we_${randomBytes(15).toString('base64url')}`;
}

/** All times are the database's, because the clocks of replicas differ. Only a clock set by a test is used instead. */
export async function openEndpointsStore(mongo: Mongo, clock: Clock = systemClock): Promise<EndpointsStore> {
  const endpoints = mongo.connection.collection<EndpointDocument>('webhook_endpoints');
  const ownerKeys = { organisationId: 1, mode: 1 } as const;
  await endpoints.createIndex({ ...ownerKeys, slot: 1 }, { name: 'slots', unique: true });
  await endpoints.createIndex({ ...ownerKeys, url: 1 }, { name: 'addresses', unique: true });
  await endpoints.createIndex(
    { ...ownerKeys, 'creation.key': 1 },
    { name: 'creations', unique: true, partialFilterExpression: { creation: { $exists: true } } },
  );
  await endpoints.createIndex(
    { dueAt: 1 },
    { name: 'waiting_lines', partialFilterExpression: { state: 'on', dueAt: { $exists: true } } },
  );
  const now = databaseClock(clock);
  const waits = () => ({
    state: 'on' as const,
    dueAt: { $exists: true },
    $expr: { $and: [{ $lte: ['$dueAt', now()] }, { $lte: ['$leasedUntil', now()] }] },
  });

  return {
    add: async ({ id, ...facts }, made) => {
      const { organisationId, mode, creation } = facts;
      if (creation !== undefined)
        await endpoints.updateMany(
          {
            organisationId,
            mode,
            'creation.key': creation.key,
            createdAt: { $lte: keysAreFreeFrom(made.at) },
          },
          { $unset: { creation: '' } },
        );
      for (let tries = 0; tries < triesAtMost; tries += 1) {
        const existing = await endpoints.find({ organisationId, mode }).toArray();
        const place = placeFor(existing, facts, made.at);
        if (!place.ok) return place;
        if ('replayed' in place) return { ok: true, endpoint: endpointOf(place.replayed), isReplayed: true };
        const document: EndpointDocument = {
          _id: id,
          ...facts,
          secrets: [...facts.secrets],
          slot: place.slot,
          state: 'on',
          createdAt: made.at,
          changes: [made],
          added: 0,
          leasedUntil: never,
        };
        const isDone = await unlessTaken(endpoints.insertOne(document));
        if (isDone !== 'taken') return { ok: true, endpoint: endpointOf(document), isReplayed: false };
      }
      throw overloaded('too many webhook endpoints are being made at once');
    },
    list: async ({ organisationId, mode }) => {
      const found = await endpoints
        .find({ organisationId, ...(mode && { mode }) })
        .sort({ createdAt: 1, _id: 1 })
        .toArray();
      return found.map(endpointOf);
    },
    find: async (_id, owner) => {
      const found = await endpoints.findOne({ _id, ...owner });
      return found === null ? undefined : endpointOf(found);
    },
    change: async (_id, owner, { url, description, types }, change) => {
      const changed = await unlessTaken(
        endpoints.findOneAndUpdate(
          { _id, ...owner },
          {
            $set: { url, ...(description !== undefined && { description }), ...(types && { types }) },
            $unset: { ...(description === undefined && { description: '' }), ...(!types && { types: '' }) },
            $push: noted(change),
          },
          { returnDocument: 'after' },
        ),
      );
      if (changed === 'taken') return 'url-taken';
      return changed === null ? undefined : endpointOf(changed);
    },
    roll: async (_id, owner, sealed, change) => {
      for (let tries = 0; tries < triesAtMost; tries += 1) {
        const found = await endpoints.findOne({ _id, ...owner });
        if (found === null) return undefined;
        const secrets = rolledSecrets(found.secrets, sealed, change.at);
        if (secrets === null) return 'rolled-too-often';
        // Unless it was rolled meanwhile.
        const rolled = await endpoints.findOneAndUpdate(
          { _id, ...owner, 'secrets.0.sealed': found.secrets[0]?.sealed ?? '' },
          { $set: { secrets: [...secrets] }, $push: noted(change) },
          { returnDocument: 'after' },
        );
        if (rolled !== null) return endpointOf(rolled);
      }
      throw overloaded('a webhook secret is being rolled too often at once');
    },
    remove: async (_id, owner) => (await endpoints.deleteOne({ _id, ...owner })).deletedCount === 1,
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
    claim: async () => {
      const lease = randomUUID();
      const claimed = await endpoints.findOneAndUpdate(
        waits(),
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
    refresh: async (line) => {
      const { id: _id, lease } = line;
      const found = await endpoints.findOne({ _id, lease, state: 'on' });
      return found === null ? undefined : { ...line, ...endpointOf(found) };
    },
    noteFailing: async (_id, failing) => {
      await endpoints.updateOne(
        { _id, state: 'on' },
        failing === undefined ? { $unset: { failing: '' } } : { $set: { failing } },
      );
    },
    switchOff: async (session, _id, offBecause, change) => {
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
    switchOn: async (_id, change, owner) => {
      const on = await endpoints.findOneAndUpdate(
        { _id, state: 'off', ...(owner && { ...owner, offBecause: { $ne: 'platform' } }) },
        { $set: { state: 'on' }, $unset: { offBecause: '', failing: '' }, $push: noted(change) },
        { returnDocument: 'after' },
      );
      return on === null ? undefined : endpointOf(on);
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
  const {
    _id: id,
    organisationId,
    mode,
    url,
    description,
    types,
    secrets,
    state,
    offBecause,
    failing,
    createdAt,
    changes,
  } = document;
  return {
    id,
    organisationId,
    mode,
    url,
    secrets,
    state,
    createdAt,
    changes,
    ...(description !== undefined && { description }),
    ...(types && { types }),
    ...(offBecause && { offBecause }),
    ...(failing && { failing }),
  };
}
