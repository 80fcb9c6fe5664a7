/** Delivery of mails: claims due notifications, sends them, records the results. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@offer-ads/platform/process/clock';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { inSpan, traceIn } from '@offer-ads/platform/telemetry/traces';
import type { BouncesStore } from './bounces-store.ts';
import type { ContactsStore } from './contacts-store.ts';
import { isReachedAt } from './domain/contact.ts';
import type { AttemptResult } from './domain/delivery/attempt.ts';
import { type Bounce, isHeeded } from './domain/delivery/bounce.ts';
import { type DeliveryResult, deliveryResultOf, expired, withdrawn } from './domain/delivery/delivery.ts';
import { type DueWork, startDueWork } from './due-work.ts';
import { type Claimed, leaseMs, type NotificationsStore } from './notifications-store.ts';
import type { Mailer } from './smtp/mailer.ts';

/** Leases are renewed several times before they end. */
const usualUpkeepEveryMs = 10_000;
/** For each connection. A link that is asked for meanwhile waits for these. */
const claimedPerConnection = 8;
/** With a rate limit no more than is sent in this time. */
const claimedForSeconds = 2;
const firstPauseMs = 1_000;
/** Sign-in links live a quarter of an hour: a recovered server must be found while they are still valid. */
const longestPauseMs = 60_000;
/**
 * After a failure of the store, ended leases of other processes are not taken over for this time: their holders may have sent mails that they
 * could not record, and may renew their leases now.
 */
const graceMs = 30_000;
const recordAgainMs = 1_000;
/** Part of the 30 s that a process has to stop. */
const stopWithinMs = 20_000;

/** A claimed notification, and whether its address has bounced or its person has left. */
type Due = Claimed & {
  readonly bounce: Bounce | undefined;
  readonly hasLeft: boolean;
  /** It tests whether the server is back. */
  isProbe: boolean;
};

export function startDelivery(o: {
  readonly connections: number;
  /** The limit of the mailer (mailer.ts); undefined for none. */
  readonly perSecond?: number | undefined;
  readonly notifications: NotificationsStore;
  readonly bounces: BouncesStore;
  readonly contacts: Pick<ContactsStore, 'findAll'>;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly upkeepEveryMs?: number;
}): DueWork {
  const { notifications, bounces, contacts, clock, logger, perSecond = Number.POSITIVE_INFINITY } = o;
  const measured = instruments(o.metrics);
  /** Claimed and not begun. */
  let queue: Due[] = [];
  /** Leased by this process, begun or not. */
  const held = new Set<string>();
  const stopping = new AbortController();
  const paced = (count: number) =>
    Math.max(1, Math.min(count * o.connections, Math.floor(claimedForSeconds * perSecond)));
  /** Above 0 the server takes no mails, and all of them wait for one that tests it. */
  let failedProbes = 0;
  let probeAt = new Date(0);
  let isProbing = false;
  /** All held notifications are leased from this moment on. */
  let leasedAtMs = Number.NEGATIVE_INFINITY;
  let storeFailedAtMs = Number.NEGATIVE_INFINITY;

  const due = startDueWork<Due>({
    ...o,
    name: 'delivery',
    // A killed process sends again what was sent and not recorded: no more mails than connections.
    lanes: paced(1),
    stopWithinMs,
    take,
    work: deliver,
  });
  const upkeep = startLoop({
    ...o,
    name: 'delivery-leases',
    everyMs: o.upkeepEveryMs ?? usualUpkeepEveryMs,
    work: async () => {
      const renewedAtMs = performance.now();
      if (held.size > 0) await notifications.renew([...held]).catch(noteStoreFailure);
      leasedAtMs = Math.max(leasedAtMs, renewedAtMs);
      measured.expired.inc(await notifications.expire().catch(noteStoreFailure));
    },
  });

  async function take(): Promise<Due | undefined> {
    // This process was suspended for so long that another replica may have taken the notifications over.
    if (performance.now() > leasedAtMs + leaseMs) await giveBackQueue();
    if (failedProbes > 0 && (isProbing || isPaused())) return undefined;
    while (queue.length === 0 && (await claim()));
    const next = queue.shift();
    if (next === undefined || failedProbes === 0) return next;
    isProbing = true;
    return Object.assign(next, { isProbe: true });
  }

  /** After a clock was set back, the pause is still no longer than the longest. */
  function isPaused(): boolean {
    const leftMs = probeAt.getTime() - clock.now().getTime();
    return leftMs > 0 && leftMs <= longestPauseMs;
  }

  /** @returns whether more may be due */
  async function claim(): Promise<boolean> {
    leasedAtMs = performance.now();
    const atMost = failedProbes > 0 ? 1 : paced(claimedPerConnection);
    const takeOver = performance.now() - storeFailedAtMs > graceMs;
    const { claimed, mayBeMore } = await notifications
      .claim({ atMost, takeOver, held: [...held] })
      .catch(noteStoreFailure);
    if (claimed.length === 0) return mayBeMore;
    // If these fail, the mails wait for the end of their leases.
    const [bounceOf, contactOf] = await Promise.all([
      bounces.find(claimed.map(({ recipient }) => recipient)),
      contacts.findAll(claimed.map(({ organisationId }) => organisationId)),
    ]).catch(noteStoreFailure);
    for (const one of claimed) {
      held.add(one.id);
      const contact = contactOf.get(one.organisationId);
      const hasLeft = contact !== undefined && !isReachedAt(contact, one.recipient);
      const bounce = bounceOf.get(one.recipient.toLowerCase());
      queue.push({ ...one, bounce, hasLeft, isProbe: false });
    }
    return mayBeMore;
  }

  async function giveBackQueue(): Promise<void> {
    const ids = queue.map(({ id }) => id);
    queue = [];
    for (const id of ids) held.delete(id);
    if (ids.length > 0) await notifications.giveBack(ids);
  }

  async function deliver(mail: Due): Promise<void> {
    try {
      const result = await attemptDelivery(mail);
      // If the process is killed between the attempt and this line, the mail is sent once more after the lease, with the same Message-ID:
      // SMTP cannot tell whether a message was accepted.
      await recordForSure(mail, result);
      measured.attempts.inc({ event: mail.eventName, state: result.state });
      // Neither recipient nor server text, because addresses and links must not be logged.
      const facts = { event: mail.eventName, state: result.state, attempts: mail.attempts };
      logger[result.state === 'failed' ? 'error' : 'info'](facts, 'delivery of a notification');
    } finally {
      held.delete(mail.id);
      if (mail.isProbe) isProbing = false;
    }
  }

  /** Sends the mail, unless it has expired, its recipient has left or its address does not exist. */
  async function attemptDelivery(mail: Due): Promise<DeliveryResult> {
    const now = mail.claimedAt;
    // Only links expire. They are sent to the requested address, also for people who are not known yet.
    const isLink = mail.expiresAt !== undefined;
    if (mail.expiresAt !== undefined && mail.expiresAt <= now) return expired;
    if (!isLink && mail.hasLeft) return withdrawn;
    // A person who waits for a link has just said that the mailbox exists.
    const isAskedFor = mail.insisted === true || isLink;
    if (mail.bounce !== undefined && !isAskedFor && isHeeded(mail.bounce, now))
      return { state: 'suppressed', problem: `the address does not exist: ${mail.bounce.problem}` };
    const attempt = await inSpan(
      {
        name: 'send mail',
        kind: 'CLIENT',
        attributes: { 'mail.event': mail.eventName, 'mail.attempt': mail.attempts },
        // Continues the trace of the event behind the mail, however old it is.
        parent: traceIn(mail.trace),
      },
      () => o.mailer.send(mail),
      ({ outcome }) => ({ 'mail.outcome': outcome }),
    );
    await noteHealth(attempt, mail.isProbe);
    await noteBounce(mail, attempt);
    return deliveryResultOf(attempt, { ...mail, now });
  }

  /** While the server takes no mails, all of them wait. */
  async function noteHealth(attempt: AttemptResult, isProbe: boolean): Promise<void> {
    const takesNone =
      attempt.outcome === 'unavailable' || (attempt.outcome === 'deferred' && attempt.slowDown);
    const wasAway = failedProbes > 0;
    // Mails that were being sent when the pause began give no new information.
    if (takesNone && wasAway && !isProbe) return;
    failedProbes = takesNone ? failedProbes + 1 : 0;
    measured.paused.set(takesNone ? 1 : 0);
    if (takesNone) {
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failedProbes - 1));
      probeAt = new Date(clock.now().getTime() + pauseMs);
    } else if (wasAway) logger.info('the mail server takes mails again');
    if (wasAway || !takesNone) return;
    // Safe to log: an unavailable server was told no address, so its text cannot repeat one.
    const problem = attempt.outcome === 'unavailable' ? attempt.problem : undefined;
    logger.warn({ problem }, 'the mail server takes no mails; they wait');
    await giveBackQueue();
  }

  /** Best effort: if the bounce list cannot be updated, the next mail to the address updates it. */
  async function noteBounce({ recipient, claimedAt, bounce }: Due, attempt: AttemptResult): Promise<void> {
    try {
      if (attempt.outcome === 'refused' && attempt.unknownMailbox)
        await bounces.add(recipient, attempt.problem, claimedAt);
      else if (attempt.outcome === 'accepted' && bounce !== undefined) await bounces.forget(recipient);
    } catch (error) {
      logger.warn({ error }, 'the bounce list could not be updated');
    }
  }

  /** A mail that was sent but not recorded would be sent again, so this waits for an unavailable store. */
  async function recordForSure(claimed: Claimed, result: DeliveryResult): Promise<void> {
    for (;;) {
      try {
        return await notifications.record({ claimed, result });
      } catch (error) {
        storeFailedAtMs = performance.now();
        logger.error({ error }, 'the result of a delivery could not be recorded and will be tried again');
        if (stopping.signal.aborted) return;
        await pause(recordAgainMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  function noteStoreFailure(error: unknown): never {
    storeFailedAtMs = performance.now();
    throw error;
  }

  return {
    wake: due.wake,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await due[Symbol.asyncDispose]();
      await giveBackQueue().catch((error: unknown) => logger.warn({ error }, 'mails wait for their leases'));
      await upkeep[Symbol.asyncDispose]();
    },
  };
}

function instruments(metrics: Metrics) {
  return {
    attempts: metrics.counter({
      name: 'notifier_delivery_attempts_total',
      help: 'Attempts to deliver a notification, by event and by the state that they led to.',
      labelNames: ['event', 'state'],
    }),
    expired: metrics.counter({
      name: 'notifier_notifications_expired_total',
      help: 'Links that expired before they could be delivered.',
    }),
    paused: metrics.gauge({
      name: 'notifier_mail_server_unavailable',
      help: '1 while the mail server accepts no mails and all mails wait.',
    }),
  };
}
