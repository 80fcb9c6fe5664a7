/** Events, mails and webhooks that do not go on. */
import { type Drills, elsewhere, reachable } from '../drill.ts';
import { changeMembers, poison } from '../faults/members.ts';
import { topUp } from '../faults/traffic.ts';
import { answerAfter, sendTests, startReceivers } from '../faults/webhooks.ts';

const MAILS = 60;
/** Shorter than the ten seconds after which an attempt would fail. */
const SLOW_MS = 8_000;
/** Nobody listens there until the fault is mended. */
const UNANSWERED_PORT = 18_991;
const unanswered = `http://127.0.0.1:${UNANSWERED_PORT}`;

export const messages: Drills = {
  /** A session holds the lock by which the relay is elected. */
  OutboxStuck: {
    cause: async (system) => {
      await system.hold('billing', "SELECT pg_advisory_xact_lock(hashtextextended('outbox-relay', 0))");
      await topUp(system);
    },
    mend: [
      `sql billing -c "SELECT pid, application_name, usename, now() - xact_start AS since, pg_terminate_backend(pid) AS ended FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('outbox-relay', 0) AND now() - xact_start > interval '10 seconds'"`,
    ],
  },
  /** Changes of members cannot be stored, so they wait, and all later messages with them. */
  QueueBacklog: {
    cause: async (system) => {
      system.links.pricingMongo.takeDown();
      await changeMembers(system, 2_000);
    },
    mend: [reachable('pricing reaches MongoDB again', 'pricingMongo')],
  },
  /** No receiver can be reached, as when notifier has no way to the internet. */
  WebhooksUnanswered: {
    cause: (system) => sendTests(system, { base: unanswered, organisations: 3, messages: 1 }),
    mend: [
      elsewhere('the receivers are reached again, and messages come', async (system) => {
        await startReceivers(UNANSWERED_PORT);
        await sendTests(system, { base: unanswered, organisations: 1, messages: 1 });
      }),
    ],
  },
  MessagesParked: {
    cause: poison,
    mend: [
      'admin events parked --service pricing',
      'admin events replay --service pricing --ids all',
      'admin events drop --service pricing --ids all',
    ],
  },
  BrokerDisconnected: {
    cause: async ({ links }) => links.rabbitmq.takeDown(),
    mend: [reachable('RabbitMQ can be reached again', 'rabbitmq')],
  },
  /** The mail server takes eight seconds for a mail, so five connections send fewer than are written. */
  MailsUnsent: {
    cause: async (system) => {
      await system.simulate('mail', { slowMs: SLOW_MS });
      for (let mail = 0; mail < MAILS; mail += 1) await topUp(system);
    },
    mend: [elsewhere('the mail server answers at once', ({ simulate }) => simulate('mail', {}))],
  },
  /** The servers of many advertisers take eight seconds for each webhook: four times as many endpoints as one replica serves at once. */
  WebhooksUnsent: {
    cause: async (system) => {
      answerAfter(SLOW_MS);
      await sendTests(system, { base: await startReceivers(), organisations: 20, messages: 3 });
    },
    mend: [elsewhere('the servers answer at once', async () => answerAfter(0))],
  },
  MailServerUnreachable: {
    cause: async (system) => {
      system.links.smtp.takeDown();
      await topUp(system);
    },
    mend: [
      'admin notification list --state pending',
      reachable('the mail server can be reached again', 'smtp'),
    ],
  },
};
