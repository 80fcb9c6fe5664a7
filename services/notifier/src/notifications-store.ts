/** Notifications and their delivery: one document per cause and recipient. */
import { randomUUID } from 'node:crypto';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import { type RestingTrace, restingTrace } from '@offer-ads/platform/telemetry/traces';
import type { ClientSession, mongo as driver } from 'mongoose';
import type { Notification } from './domain/announcement.ts';
import type { DeliveryResult } from './domain/delivery/delivery.ts';
import type { Message } from './domain/letters/render-letter.ts';
import { databaseClock, insertMissing } from './due-work.ts';
import { groupWrites } from './group-writes.ts';

/** A notification that only this process may deliver while it holds the lease. */
export type Claimed = {
  readonly id: string;
  readonly eventName: string;
  readonly organisationId: number;
  readonly recipient: string;
  readonly message: Message;
  /** Including the attempt that begins now. */
  readonly attempts: number;
  /** When it was first due, or due again because a person resent it. */
  readonly queuedAt: Date;
  readonly expiresAt: Date | undefined;
  /** A person has ordered the attempt, even if the address has bounced. */
  readonly insisted: boolean;
  /** By the database's clock. */
  readonly claimedAt: Date;
  /** The trace of the work that added it. */
  readonly trace: RestingTrace;
};

type Attempted = { readonly claimed: Claimed; readonly result: DeliveryResult };

/** `trace`: of the work that adds it; by default the current one. */
export type QueuedNotification = Notification & { readonly trace?: RestingTrace };

export type NotificationsStore = {
  /** Existing ones do not change. */
  readonly add: (
    session: ClientSession,
    notifications: readonly QueuedNotification[],
    now: Date,
  ) => Promise<void>;
  /**
   * Takes due notifications: first links, because they expire, then the longest due. `takeOver`: also from a holder whose lease has ended.
   * Never one in `held`, which this process is delivering. `mayBeMore` is false if no other one was due.
   */
  readonly claim: (o: {
    readonly atMost: number;
    readonly takeOver: boolean;
    readonly held: readonly string[];
  }) => Promise<{ readonly claimed: readonly Claimed[]; readonly mayBeMore: boolean }>;
  /** Renews leases from now on for their full length; only those that this process still holds. */
  readonly renew: (ids: readonly string[]) => Promise<void>;
  /** Due again at once, without counting an attempt. */
  readonly giveBack: (ids: readonly string[]) => Promise<void>;
  readonly record: (o: Attempted) => Promise<void>;
  /** Ends notifications that expired unsent; returns their number. */
  readonly expire: (result: Extract<DeliveryResult, { state: 'failed' }>) => Promise<number>;
};

type Entry = {
  at: Date;
  state: DeliveryResult['state'];
  problem?: string;
  reply?: string;
  uncertain?: true;
};

export type Addressed = {
  _id: string;
  state: DeliveryResult['state'] | 'sending';
  eventName: string;
  organisationId: number;
  recipient: string;
  /** Removed from messages that expire, after sending or expiry, because they contain credentials. */
  message?: Message;
  /** 0 for messages that expire, 1 for all others: the order of claiming. */
  priority: number;
  attempts: number;
  createdAt: Date;
  queuedAt: Date;
  expiresAt?: Date;
  insisted?: boolean;
  trace: RestingTrace;
  /** While pending: the time of the next try. While sending: the end of the lease. One query finds both. */
  dueAt: Date;
  lease?: string;
  claimedAt?: Date;
  /** Of the last unsuccessful attempt. */
  problem?: string;
  /** The results of the latest attempts. */
  history?: Entry[];
  /** The latest orders to send it again, and by whom. */
  resends?: { at: Date; by: string }[];
  settledAt?: Date;
};

/** With the database's time. */
type Told = { readonly now: Date };

/** Long enough for a process that is suspended for a while, short enough for people to wait when one died. */
export const leaseMs = 120_000;
const longestHistory = 20;
const recordedAtOnce = 100;
const expiredAtOnce = 1_000;
/** Compares addresses without regard to case. */
export const anyCase = { locale: 'en', strength: 2 };
/** Sent notifications are kept for questions, longer than any event repeats (30 days). */
const keptDays = 180;

/**
 * All times are the database's, because the clocks of replicas differ: a lease must end for its holder at the same moment as for the
 * others. Only a clock set by a test is used instead.
 */
export async function openNotificationsStore(
  mongo: Mongo,
  clock: Clock = systemClock,
): Promise<NotificationsStore> {
  const addressed = mongo.connection.collection<Addressed>('notifications');
  await prepareIndexes(mongo);
  /** Of this process, new at each start. */
  const lease = randomUUID();
  const now = databaseClock(clock);
  const isDue = () => ({ $expr: { $lte: ['$dueAt', now()] } });
  /** The database's clock minus that of this process (`performance.now`, which is never set), as of the last claim. */
  let databaseAheadMs = 0;
  const learnTime = (told: Date) => {
    databaseAheadMs = told.getTime() - performance.now();
  };
  const databaseTime = () =>
    clock === systemClock ? new Date(databaseAheadMs + performance.now()) : clock.now();

  return {
    add: async (session, notifications, createdAt) => {
      if (notifications.length === 0) return;
      const current = restingTrace();
      await addressed.bulkWrite(
        notifications.map(({ id, expiresAt, trace = current, ...facts }) => {
          const fresh = {
            state: 'pending',
            ...facts,
            ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
            priority: expiresAt === undefined ? 1 : 0,
            attempts: 0,
            createdAt,
            trace,
          };
          return insertMissing(id, fresh, { queuedAt: now(), dueAt: now() });
        }),
        { session },
      );
    },
    claim: async ({ atMost, takeOver, held }) => {
      const states: Addressed['state'][] = takeOver ? ['pending', 'sending'] : ['pending'];
      // Lists all priorities, so that the index finds the due ones directly.
      // A notification without a message must not block the others; the metric of the oldest unsent one shows it.
      const claimable = {
        state: { $in: states },
        priority: { $in: [0, 1] },
        message: { $exists: true },
        ...isDue(),
      };
      const found = await addressed
        .find({ ...claimable, _id: { $nin: held } })
        .project<Pick<Addressed, '_id' | 'state'> & Told>({ state: 1, now: now() })
        .sort({ priority: 1, dueAt: 1 })
        .limit(atMost)
        .toArray();
      const mayBeMore = found.length === atMost;
      const [first] = found;
      if (first === undefined) return { claimed: [], mayBeMore };
      const claimedAt = first.now;
      learnTime(claimedAt);
      const sending = { state: 'sending' as const, lease, claimedAt, dueAt: after(claimedAt, leaseMs) };
      const ids = found.map(({ _id }) => _id);
      // If several replicas found the same one, only one gets it.
      await addressed.updateMany({ ...claimable, _id: { $in: ids }, state: 'pending' }, { $set: sending });
      if (found.some(({ state }) => state === 'sending'))
        await addressed.updateMany(
          { ...claimable, _id: { $in: ids }, state: 'sending' },
          { $set: sending, $inc: { attempts: 1 }, $push: { history: kept(inherited(claimedAt)) } },
        );
      const taken = await addressed.find({ _id: { $in: ids }, state: 'sending', lease }).toArray();
      const claimed = taken
        .map(claimedOf)
        .toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
      return { claimed, mayBeMore };
    },
    renew: async (ids) => {
      await addressed.updateMany({ _id: { $in: [...ids] }, state: 'sending', lease }, [
        { $set: { dueAt: { $add: [now(), leaseMs] } } },
      ]);
    },
    giveBack: async (ids) => {
      await addressed.updateMany({ _id: { $in: [...ids] }, state: 'sending', lease }, [
        { $set: { state: 'pending', dueAt: now() } },
        { $unset: ['lease', 'claimedAt'] },
      ]);
    },
    record: groupWrites<Attempted>({
      atMost: recordedAtOnce,
      lingerMs: 1,
      write: (all) => {
        const at = databaseTime();
        const updates = all.map(({ claimed, result }) => {
          // That it was sent is a fact, whoever holds the lease now. Any other result is stored only under the lease, so that a late process
          // does not overwrite what another has recorded since.
          const open: driver.Filter<Addressed> =
            result.state === 'sent'
              ? { state: { $in: ['pending', 'sending'] } }
              : { state: 'sending', lease };
          return recordingOf({ _id: claimed.id, ...open }, result, {
            at,
            isLink: claimed.expiresAt !== undefined,
          });
        });
        return addressed.bulkWrite(updates, { ordered: false });
      },
    }),
    expire: async (result) => {
      const isExpired = {
        $or: [{ state: 'pending' as const }, { state: 'sending' as const, ...isDue() }],
        expiresAt: { $exists: true },
        $expr: { $lte: ['$expiresAt', now()] },
      };
      const found = await addressed
        .find(isExpired)
        .project<Pick<Addressed, '_id'> & Told>({ now: now() })
        .limit(expiredAtOnce)
        .toArray();
      if (found.length === 0) return 0;
      const updates = found.map(({ _id, now: at }) =>
        recordingOf({ ...isExpired, _id }, result, { at, isLink: true }),
      );
      const { modifiedCount } = await addressed.bulkWrite(updates, { ordered: false });
      return modifiedCount;
    },
  };
}

async function prepareIndexes(mongo: Mongo): Promise<void> {
  const addressed = mongo.connection.collection<Addressed>('notifications');
  await addressed.createIndex(
    { priority: 1, dueAt: 1 },
    { name: 'due_by_priority', partialFilterExpression: { state: { $in: ['pending', 'sending'] } } },
  );
  await addressed.createIndex(
    { expiresAt: 1 },
    {
      name: 'expiring',
      partialFilterExpression: { state: { $in: ['pending', 'sending'] }, expiresAt: { $exists: true } },
    },
  );
  await addressed.createIndex(
    { 'occurrence.organisationId': 1 },
    { name: 'waiting_for_organisation', partialFilterExpression: { state: 'waiting' } },
  );
  await addressed.createIndex(
    { createdAt: 1 },
    {
      name: 'waiting_for_a_while',
      expireAfterSeconds: keptDays * 86_400,
      partialFilterExpression: { state: 'waiting' },
    },
  );
  // For people's questions about notifications (register-store.ts).
  await addressed.createIndex({ createdAt: -1 }, { name: 'latest' });
  await addressed.createIndex({ organisationId: 1, createdAt: -1 }, { name: 'latest_of_organisation' });
  await addressed.createIndex(
    { recipient: 1, createdAt: -1 },
    { name: 'latest_to_recipient', collation: anyCase },
  );
  await addressed.createIndex(
    { state: 1, createdAt: -1 },
    { name: 'not_sent', partialFilterExpression: { state: { $in: ['failed', 'suppressed', 'waiting'] } } },
  );
  await addressed.createIndex(
    { settledAt: 1 },
    { name: 'kept_since_settled', expireAfterSeconds: keptDays * 86_400, sparse: true },
  );
}

function claimedOf(document: Addressed): Claimed {
  const { _id, message, eventName, organisationId, recipient } = document;
  const { attempts, queuedAt, expiresAt, insisted, trace } = document;
  if (message === undefined || document.claimedAt === undefined)
    throw new Error('a notification to be sent has lost its message');
  return {
    id: _id,
    eventName,
    organisationId,
    recipient,
    message,
    attempts: attempts + 1,
    queuedAt,
    expiresAt,
    insisted: insisted === true,
    claimedAt: document.claimedAt,
    trace,
  };
}

/** The previous holder ended before it recorded the result, so the result is unknown. */
function inherited(at: Date): Entry {
  const problem = 'the process ended before it recorded the result';
  return { at, state: 'pending', problem, uncertain: true };
}

function kept(entry: Entry) {
  return { $each: [entry], $slice: -longestHistory };
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

/** `isLink`: its message holds credentials, which are not kept once it is settled. */
function recordingOf(
  filter: driver.Filter<Addressed>,
  result: DeliveryResult,
  { at, isLink }: { readonly at: Date; readonly isLink: boolean },
) {
  const isPending = result.state === 'pending';
  const attempted = 'attempted' in result ? result.attempted : result.state === 'sent';
  const problem = 'problem' in result ? { problem: result.problem } : {};
  const entry: Entry = {
    at,
    state: result.state,
    ...problem,
    ...('reply' in result ? { reply: result.reply } : {}),
    ...(isPending && result.uncertain ? { uncertain: true } : {}),
  };
  const update: driver.UpdateFilter<Addressed> = {
    $set: {
      state: result.state,
      ...problem,
      ...(isPending ? { dueAt: after(at, result.retryInMs) } : { settledAt: at }),
    },
    $unset: {
      lease: '',
      claimedAt: '',
      ...(result.state === 'sent' && { problem: '' }),
      ...(isLink && !isPending && { message: '' }),
    },
    ...(attempted && { $inc: { attempts: 1 } }),
    // An unavailable server is recorded only in `problem`, however often it happens.
    ...((attempted || !isPending) && { $push: { history: kept(entry) } }),
  };
  // `updateOne` would cost a second write: MongoDB notes each one, so that the driver can repeat it. `recordForSure` repeats instead.
  return { updateMany: { filter, update } };
}
