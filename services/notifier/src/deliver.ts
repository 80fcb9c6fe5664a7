/** Delivery: claims due notifications, sends them, records the results. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@offer-ads/platform/process/clock';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { traceIn } from '@offer-ads/platform/telemetry/trace-context';
import { inSpan } from '@offer-ads/platform/telemetry/traces';
import type { BouncesStore } from './bounces-store.ts';
import type { ContactsStore } from './contacts-store.ts';
import { type Contact, isReachedAt } from './domain/contact.ts';
import type { AttemptResult } from './domain/delivery/attempt.ts';
import { type Bounce, isHeeded } from './domain/delivery/bounce.ts';
import { type DeliveryResult, deliveryResultOf, expired, withdrawn } from './domain/delivery/delivery.ts';
import { healthAfter, healthy, isPaused, needsProbe } from './domain/delivery/server-pause.ts';
import { type Claimed, leaseMs, type NotificationsStore } from './notifications-store.ts';
import type { Pace } from './pace-store.ts';
import { createPermits } from './permits.ts';
import type { Mailer, Withheld } from './smtp/mailer.ts';

export type Delivery = AsyncDisposable & { readonly wake: () => void };

/** For notifications that become due by time; new notifications wake the loop themselves. */
const pollEveryMs = 1_000;
/** Several times within a lease. */
const renewEveryMs = 10_000;
/** Connections wait during a claim, so each claim takes what is likely to be sent in this time. A link asked for meanwhile is sent next. */
const claimedForMs = 200;
/** Before it is known how fast the server is; and no more than this, because they wait for the lease to end when this process is killed. */
const claimedPerConnection = { first: 4, most: 20 } as const;
/** A server that waits for a mail's content waits this long for the results of earlier mails to be stored. RFC 5321 has servers wait 5 minutes. */
const waitForResultsMs = 10_000;
/** Claimed notifications are given back after this wait for a connection, so that another replica can take them. */
const waitForConnectionMs = 5_000;
/**
 * After a failure of the store, ended leases of other processes are not taken over for this time: their holders may have sent mails that they
 * could not record, and may renew their leases now.
 */
const graceMs = 30_000;
const recordAgainMs = 1_000;
/** A backlog of hours is processed in many runs: expired notifications are ended in between, and the metrics of the loop show success. */
const runForMs = 30_000;
/** Part of the 30 s that a process has to stop. */
const stopWithinMs = 20_000;

/** What is known about the recipient of a notification. */
type Recipient = { readonly bounce: Bounce | undefined; readonly contact: Contact | undefined };

export function startDelivery(o: {
  /** Mails sent at the same time. */
  readonly connections: number;
  readonly notifications: NotificationsStore;
  readonly bounces: BouncesStore;
  readonly contacts: Pick<ContactsStore, 'findAll'>;
  readonly pace: Pace;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly renewEveryMs?: number;
  readonly runForMs?: number;
  readonly waitForResultsMs?: number;
}): Delivery {
  const { notifications, bounces, contacts, clock, logger } = o;
  const measured = instruments(o.metrics);
  /** Leased by this process, started or not. */
  const held = new Set<string>();
  /** Sent now, or waiting until their result is stored. */
  const underWay = new Set<Promise<void>>();
  let sending = 0;
  /**
   * For mails whose content was begun and whose result is not stored. A killed process sends these again, so there are never more than
   * connections. The next mail's envelope goes out meanwhile.
   */
  const unrecorded = createPermits({ atOnce: o.connections, waitMs: o.waitForResultsMs ?? waitForResultsMs });
  /** Ends the wait for a connection, if the loop is waiting. */
  let endWait: (isFree: boolean) => void = () => {};
  let health = healthy;
  let isProbing = false;
  /** All held notifications are leased from this moment on. */
  let leasedAtMs = Number.NEGATIVE_INFINITY;
  /** When expired notifications were last ended. */
  let expiredAtMs = Number.NEGATIVE_INFINITY;
  let storeFailedAtMs = Number.NEGATIVE_INFINITY;
  let claimedAtOnce = claimedPerConnection.first * o.connections;
  const stopping = new AbortController();

  const loop = startLoop({ name: 'delivery', everyMs: pollEveryMs, logger, metrics: o.metrics, work });
  const leases = startLoop({
    name: 'delivery-leases',
    everyMs: o.renewEveryMs ?? renewEveryMs,
    logger,
    metrics: o.metrics,
    work: async () => {
      const renewedAtMs = performance.now();
      if (held.size > 0) await inStore(notifications.renew([...held]));
      leasedAtMs = Math.max(leasedAtMs, renewedAtMs);
    },
  });

  async function work(): Promise<void> {
    const until = performance.now() + (o.runForMs ?? runForMs);
    await endExpired();
    while (!stopping.signal.aborted && !isPaused(health, clock.now())) {
      if (!(await connectionWithin(waitForConnectionMs))) return;
      const { claimed, mayBeMore } = await claim();
      const begunAtMs = performance.now();
      // None may be left by another replica that claimed at the same moment, which says nothing about the server.
      if (claimed.length > 0) {
        await begin(claimed);
        claimedAtOnce = nextClaim(claimed.length, performance.now() - begunAtMs);
      }
      if (!mayBeMore) return;
      if (performance.now() > until) return wake();
    }
  }

  /** Once per poll: new notifications start many more runs of the loop. */
  async function endExpired(): Promise<void> {
    if (performance.now() - expiredAtMs < pollEveryMs / 2) return;
    expiredAtMs = performance.now();
    measured.expired.inc(await inStore(notifications.expire(expired)));
  }

  /** After so many were started in so many milliseconds. */
  function nextClaim(started: number, tookMs: number): number {
    const likely = Math.round((started * claimedForMs) / Math.max(1, tookMs));
    const { first, most } = claimedPerConnection;
    return Math.min(Math.max(likely, first * o.connections), most * o.connections);
  }

  async function claim(): Promise<{ claimed: readonly Claimed[]; mayBeMore: boolean }> {
    leasedAtMs = performance.now();
    // A single mail tests whether the server is back.
    const atMost = needsProbe(health) ? 1 : Math.min(claimedAtOnce, o.pace.atOnce);
    const takeOver = performance.now() - storeFailedAtMs > graceMs;
    const due = await inStore(notifications.claim({ atMost, takeOver, held: [...held] }));
    for (const { id } of due.claimed) held.add(id);
    return due;
  }

  /** Starts each delivery at its reserved moment when a connection is free; gives back the notifications that were not started. */
  async function begin(claimed: readonly Claimed[]): Promise<void> {
    const left = new Set(claimed);
    try {
      const [bouncesByAddress, contactsByOrganisation] = await inStore(
        Promise.all([
          bounces.find(claimed.map(({ recipient }) => recipient)),
          contacts.findAll(claimed.map(({ organisationId }) => organisationId)),
        ]),
      );
      const { firstInMs, everyMs } = await inStore(o.pace.reserve(claimed.length));
      const startedAtMs = performance.now();
      for (const [place, each] of claimed.entries()) {
        await waitUntil(startedAtMs + firstInMs + place * everyMs);
        if (!(await connectionWithin(waitForConnectionMs))) break;
        if (isPaused(health, clock.now())) break;
        // This process was suspended for so long that another replica may have taken the notifications over.
        if (performance.now() > leasedAtMs + leaseMs) break;
        left.delete(each);
        start(each, {
          bounce: bouncesByAddress.get(each.recipient.toLowerCase()),
          contact: contactsByOrganisation.get(each.organisationId),
        });
      }
    } finally {
      const ids = [...left].map(({ id }) => id);
      for (const id of ids) held.delete(id);
      if (ids.length > 0) await inStore(notifications.giveBack(ids));
    }
  }

  function start(claimed: Claimed, recipient: Recipient): void {
    const isProbe = needsProbe(health);
    if (isProbe) isProbing = true;
    const work = deliver(claimed, recipient)
      .catch((error: unknown) =>
        logger.error({ error }, 'a notification failed here and waits for the end of its lease'),
      )
      .finally(() => {
        held.delete(claimed.id);
        underWay.delete(work);
        if (isProbe) isProbing = false;
        if (connectionIsFree()) endWait(true);
      });
    underWay.add(work);
  }

  async function deliver(claimed: Claimed, recipient: Recipient): Promise<void> {
    let isBegun = false;
    const mayBegin = async () => (isBegun = await unrecorded.take());
    try {
      await deliverOnce(claimed, recipient, mayBegin);
    } finally {
      if (isBegun) unrecorded.giveBack();
    }
  }

  async function deliverOnce(
    claimed: Claimed,
    recipient: Recipient,
    mayBegin: () => Promise<boolean>,
  ): Promise<void> {
    sending += 1;
    const result = await attemptDelivery(claimed, recipient, mayBegin).finally(() => {
      sending -= 1;
      if (connectionIsFree()) endWait(true);
    });
    if (result === undefined) return inStore(notifications.giveBack([claimed.id]));
    // If the process is killed between the attempt and this line, the mail is sent once more after the lease, with the same Message-ID:
    // SMTP cannot tell whether a message was accepted.
    await recordForSure(claimed, result);
    measured.attempts.inc({ event: claimed.eventName, state: result.state });
    // Neither recipient nor server text, because addresses and links must not be logged.
    const facts = { event: claimed.eventName, state: result.state, attempts: claimed.attempts };
    logger[result.state === 'failed' ? 'error' : 'info'](facts, 'delivery of a notification');
  }

  /**
   * Sends the mail, unless it has expired, its recipient has left or its address does not exist.
   * @returns undefined when the mail was not sent because earlier results could not be stored
   */
  async function attemptDelivery(
    claimed: Claimed,
    { bounce, contact }: Recipient,
    mayBegin: () => Promise<boolean>,
  ): Promise<DeliveryResult | undefined> {
    const now = claimed.claimedAt;
    if (claimed.expiresAt !== undefined && claimed.expiresAt <= now) return expired;
    // Only links expire. They are sent to the requested address, also for people who are not known yet.
    const isLink = claimed.expiresAt !== undefined;
    const hasLeft = contact !== undefined && !isReachedAt(contact, claimed.recipient);
    if (!isLink && hasLeft) return withdrawn;
    // A person who waits for a link has just said that the mailbox exists.
    const isAskedFor = claimed.insisted || isLink;
    if (bounce !== undefined && !isAskedFor && isHeeded(bounce, now))
      return { state: 'suppressed', problem: `the address does not exist: ${bounce.problem}` };
    const attempt = await send(claimed, mayBegin);
    if (attempt.outcome === 'withheld') return undefined;
    noteHealth(attempt);
    await noteBounce(claimed, attempt, bounce);
    return deliveryResultOf(attempt, { ...claimed, now });
  }

  /** Continues the trace of the event behind the mail, however old it is. */
  function send(claimed: Claimed, mayBegin: () => Promise<boolean>): Promise<AttemptResult | Withheld> {
    const attributes = { 'mail.event': claimed.eventName, 'mail.attempt': claimed.attempts };
    return inSpan(
      { name: 'send mail', kind: 'CLIENT', attributes, parent: traceIn(claimed.trace) },
      () => o.mailer.send(claimed, mayBegin),
      ({ outcome }) => ({ 'mail.outcome': outcome }),
    );
  }

  function noteHealth(attempt: AttemptResult): void {
    const now = clock.now();
    const before = health;
    health = healthAfter(health, attempt, now);
    measured.paused.set(needsProbe(health) ? 1 : 0);
    if (!needsProbe(before) && needsProbe(health)) {
      // Safe to log: an unavailable server was told no address, so its text cannot repeat one.
      const problem = attempt.outcome === 'unavailable' ? attempt.problem : undefined;
      logger.warn({ problem }, 'the mail server takes no mails; they wait');
    }
    if (needsProbe(before) && !needsProbe(health)) logger.info('the mail server takes mails again');
  }

  /** Best effort: if the bounce list cannot be updated, the next mail to the address updates it. */
  async function noteBounce(
    { recipient, claimedAt }: Claimed,
    attempt: AttemptResult,
    bounce: Bounce | undefined,
  ) {
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
        return await inStore(notifications.record({ claimed, result }));
      } catch (error) {
        logger.error({ error }, 'the result of a delivery could not be recorded and will be tried again');
        if (stopping.signal.aborted) return;
        await pause(recordAgainMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  async function inStore<T>(operation: Promise<T>): Promise<T> {
    try {
      return await operation;
    } catch (error) {
      storeFailedAtMs = performance.now();
      throw error;
    }
  }

  function connectionIsFree(): boolean {
    // While one mail probes the server, no second one starts. Older mails still under way may take minutes and do not count as the probe.
    const isFree = sending < o.connections && underWay.size < 2 * o.connections;
    return isFree && !(needsProbe(health) && isProbing);
  }

  /** Whether a connection is free within this time. Only the loop calls it, one call at a time, so `endWait` needs to hold only one waiter. */
  async function connectionWithin(ms: number): Promise<boolean> {
    if (connectionIsFree() || stopping.signal.aborted) return !stopping.signal.aborted;
    const free = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(resolve, ms, false);
      endWait = (isFree) => {
        clearTimeout(timer);
        resolve(isFree);
      };
    });
    endWait = () => {};
    return free;
  }

  async function waitUntil(atMs: number): Promise<void> {
    const leftMs = atMs - performance.now();
    if (leftMs > 0) await pause(leftMs, undefined, { signal: stopping.signal }).catch(() => {});
  }

  /** Starts the next run at once after the present one. */
  function wake(): void {
    if (stopping.signal.aborted) return;
    // The loop logs a failed run and repeats it at the next poll.
    loop.runNow().catch(() => {});
  }

  return {
    wake,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      endWait(false);
      await loop[Symbol.asyncDispose]();
      const over = new AbortController();
      await Promise.race([
        Promise.all(underWay),
        pause(stopWithinMs, undefined, { signal: over.signal }).catch(() => {}),
      ]);
      over.abort();
      await leases[Symbol.asyncDispose]();
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
