/** Notifications and their delivery: one document per cause and recipient. */
import { randomUUID } from 'node:crypto';
import { gatherBatches } from '@offer-ads/platform/messaging/broker/batches';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import { type RestingTrace, restingTrace } from '@offer-ads/platform/telemetry/traces';
import type { ClientSession, mongo as driver } from 'mongoose';
import type { Notification } from './domain/announcement.ts';
import type { Departure } from './domain/contact.ts';
import { type DeliveryResult, expired, withdrawn } from './domain/delivery/delivery.ts';
import type { Message } from './domain/letters/render-letter.ts';
import { databaseClock, insertMissing } from './due-work.ts';

/** A notification that only this process may deliver while it holds the lease. */
export type Claimed = Omit<Addressed, '_id' | 'message' | 'claimedAt'> & {
  readonly id: string;
  readonly message: Message;
  /** Including the attempt that begins now. */
  readonly attempts: number;
  /** By the database's clock. */
  readonly claimedAt: Date;
  /** The same moment by the clock of this process that is never set (`performance.now`). */
  readonly claimedAtMs: number;
};

type Attempted = { readonly claimed: Claimed; readonly result: DeliveryResult };
type Recording = Attempted & PromiseWithResolvers<void>;

/** `trace`: of the work that adds it; by default the current one. */
export type QueuedNotification = Notification & { readonly trace?: RestingTrace };

export type NotificationsStore = Awaited<ReturnType<typeof openNotificationsStore>>;

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
  /** When it was first due, or due again because a person resent it. */
  queuedAt: Date;
  expiresAt?: Date;
  /** A person has ordered the attempt, even if the address has bounced. */
  insisted?: boolean;
  /** Of the work that added it. */
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

/** Long enough for a process that is suspended for a while, short enough for people to wait when one died. */
export const leaseMs = 120_000;
const longestHistory = 20;
const recordedAtOnce = 100;
/** Compares addresses without regard to case. */
export const anyCase = { locale: 'en', strength: 2 };
/** Sent notifications are kept for questions, longer than any event repeats (30 days). */
const keptDays = 180;

/**
 * All times are the database's, because the clocks of replicas differ: a lease must end for its holder at the same moment as for the
 * others. Only a clock set by a test is used instead.
 */
export async function openNotificationsStore(mongo: Mongo, clock: Clock = systemClock) {
  const addressed = mongo.connection.collection<Addressed>('notifications');
  await prepareIndexes(mongo);
  /** Of this process, new at each start. */
  const lease = randomUUID();
  const now = databaseClock(clock);
  /** Results that come within a moment, or while others are being written, are written together. */
  const recordings = gatherBatches<Recording>({
    atMost: recordedAtOnce,
    lingerMs: 1,
    work: (all) =>
      addressed.bulkWrite(all.map(recordingOf), { ordered: false }).then(
        () => all.forEach(({ resolve }) => resolve()),
        (error: unknown) => all.forEach(({ reject }) => reject(error)),
      ),
  });
  const isDue = () => ({ $expr: { $lte: ['$dueAt', now()] } });

  return {
    /** Existing ones do not change. */
    add: async (session: ClientSession, notifications: readonly QueuedNotification[], createdAt: Date) => {
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
    /**
     * Takes due notifications: first links, because they expire, then the longest due. `takeOver`: also from a holder whose lease has
     * ended. Never one in `held`, which this process is delivering. `mayBeMore` is false if no other one was due.
     */
    claim: async ({
      atMost,
      takeOver,
      held,
    }: {
      readonly atMost: number;
      readonly takeOver: boolean;
      readonly held: readonly string[];
    }): Promise<{ readonly claimed: readonly Claimed[]; readonly mayBeMore: boolean }> => {
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
        .project<Pick<Addressed, '_id' | 'state'> & { now: Date }>({ state: 1, now: now() })
        .sort({ priority: 1, dueAt: 1 })
        .limit(atMost)
        .toArray();
      const mayBeMore = found.length === atMost;
      const [first] = found;
      if (first === undefined) return { claimed: [], mayBeMore };
      const claimedAt = first.now;
      const claimedAtMs = performance.now();
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
        .map((document) => claimedOf(document, claimedAtMs))
        .toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
      return { claimed, mayBeMore };
    },
    /** Renews leases from now on for their full length; only those that this process still holds. */
    renew: async (ids: readonly string[]) => {
      await addressed.updateMany({ _id: { $in: [...ids] }, state: 'sending', lease }, [
        { $set: { dueAt: { $add: [now(), leaseMs] } } },
      ]);
    },
    /** Due again at once, without counting an attempt. */
    giveBack: async (ids: readonly string[]) => {
      await addressed.updateMany({ _id: { $in: [...ids] }, state: 'sending', lease }, [
        { $set: { state: 'pending', dueAt: now() } },
        { $unset: ['lease', 'claimedAt'] },
      ]);
    },
    /** Recording a result again changes nothing. */
    record: (attempted: Attempted): Promise<void> => {
      const recording = { ...attempted, ...Promise.withResolvers<void>() };
      recordings.add(recording);
      return recording.promise;
    },
    /** Ends notifications that expired unsent; returns their number. */
    expire: async () => {
      const isExpired = {
        $or: [{ state: 'pending' as const }, { state: 'sending' as const, ...isDue() }],
        expiresAt: { $exists: true },
        $expr: { $lte: ['$expiresAt', now()] },
      };
      const { state, problem } = expired;
      const history = { $concatArrays: [{ $ifNull: ['$history', []] }, [{ at: now(), state, problem }]] };
      const { modifiedCount } = await addressed.updateMany(isExpired, [
        { $set: { state, problem, settledAt: now(), history } },
        { $unset: ['message', 'lease', 'claimedAt'] },
      ]);
      return modifiedCount;
    },
    /**
     * Unsent mails of a person with a new mailbox go there, and others are withdrawn. So are links, which are for the owner of the old
     * mailbox. A mail that is being sent cannot be stopped.
     */
    redirect: async (
      session: ClientSession,
      {
        organisationId,
        from,
        to,
        now: settledAt,
      }: Departure & { readonly organisationId: number; readonly now: Date },
    ) => {
      // Mails keep the spelling that the address had when they were written.
      const options = { session, collation: anyCase };
      const unsent = { state: 'pending' as const, organisationId, recipient: from };
      if (to !== undefined) {
        const movable = { ...unsent, expiresAt: { $exists: false } };
        await addressed.updateMany(movable, { $set: { recipient: to } }, options);
      }
      const { state, problem } = withdrawn;
      const settled = { $set: { state, problem, settledAt } };
      const links = { ...unsent, expiresAt: { $exists: true } };
      await addressed.updateMany(links, { ...settled, $unset: { message: '' } }, options);
      await addressed.updateMany(unsent, settled, options);
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
    { organisationId: 1, _id: 1 },
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

function claimedOf({ _id: id, message, claimedAt, ...document }: Addressed, claimedAtMs: number): Claimed {
  if (message === undefined || claimedAt === undefined)
    throw new Error('a notification to be sent has lost its message');
  return { ...document, id, message, claimedAt, claimedAtMs, attempts: document.attempts + 1 };
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

function recordingOf({ claimed, result }: Attempted) {
  const at = after(claimed.claimedAt, performance.now() - claimed.claimedAtMs);
  const { state } = result;
  const isPending = state === 'pending';
  const attempted = 'attempted' in result ? result.attempted : state === 'sent';
  const problem = 'problem' in result ? { problem: result.problem } : {};
  const entry: Entry = {
    at,
    state,
    ...problem,
    ...('reply' in result && { reply: result.reply }),
    ...(isPending && result.uncertain && { uncertain: true }),
  };
  // That it was sent is a fact, whoever holds the lease now. Any other result is stored only under the lease, so that a late process does
  // not overwrite what another has recorded since.
  const filter: driver.Filter<Addressed> = {
    _id: claimed.id,
    ...(state === 'sent'
      ? { state: { $in: ['pending', 'sending'] } }
      : { state: 'sending', lease: claimed.lease ?? '' }),
  };
  const update: driver.UpdateFilter<Addressed> = {
    $set: {
      state,
      ...problem,
      ...(isPending ? { dueAt: after(at, result.retryInMs) } : { settledAt: at }),
    },
    $unset: {
      lease: '',
      claimedAt: '',
      ...(state === 'sent' && { problem: '' }),
      // A link is a credential, which is not kept once it is settled.
      ...(claimed.expiresAt !== undefined && !isPending && { message: '' }),
    },
    ...(attempted && { $inc: { attempts: 1 } }),
    // An unavailable server is recorded only in `problem`, however often it happens.
    ...((attempted || !isPending) && { $push: { history: kept(entry) } }),
  };
  // `updateOne` would cost a second write: MongoDB notes each one, so that the driver can repeat it. `recordForSure` repeats instead.
  return { updateMany: { filter, update } };
}
