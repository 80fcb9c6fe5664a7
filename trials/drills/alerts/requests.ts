/** Requests that fail or take long, and what the services need to answer them. */
import { setTimeout as pause } from 'node:timers/promises';
import { adminActorHeader, adminViaHeader } from '@offer-ads/platform/admin/routes';
import { adminCredential } from '@offer-ads/platform/admin/tokens';
import { signedCaller } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { query } from '../../harness/sql.ts';
import { type Drills, elsewhere, reachable, type Step } from '../drill.ts';
import { estimate } from '../faults/traffic.ts';
import type { DatabaseName, DrillSystem } from '../system.ts';

export const requests: Drills = {
  ServiceDown: { cause: ({ stop }) => stop('notifier'), mend: ['restart notifier'] },
  /** Offers loses its database, so all its requests are answered 503. */
  RequestErrorsHigh: {
    severity: 'page',
    cause: async ({ links, repeat, call }) => {
      links.offersDatabase.takeDown();
      repeat(100, () => call('/categories'));
    },
    mend: [reachable('the database of offers can be reached again', 'offersDatabase')],
  },
  /** The gateway is stopped for 3.5 seconds out of four, as on a machine without free processor time. */
  RequestsSlow: {
    cause: async (system) => {
      for (let caller = 0; caller < 40; caller += 1) system.repeat(20, () => system.call('/categories'));
      await pause(2_000);
      system.stopAndContinue('gateway', { stoppedMs: 3_500, runningMs: 500 });
    },
    mend: [elsewhere('the processes have a processor again', ({ stopRepeating }) => stopRepeating())],
  },
  /** Pricing runs, and the gateway cannot reach it. */
  CircuitBreakerOpen: {
    cause: async (system) => {
      let answer = 'nothing';
      system.links.gatewayToPricing.takeDown();
      // A breaker needs five failures within ten seconds. So many callers have them even if each call takes all of its 2.25 s.
      for (let caller = 0; caller < 5; caller += 1)
        system.repeat(500, async () => {
          const reply = await estimate(system);
          answer = `${reply.status} ${await reply.text()}`;
        });
      await eventually(async () => {
        const metrics = await (await fetch(`${system.addresses.gatewayAdmin}/metrics`)).text();
        if (!/^circuit_breaker_open\{[^}]*target="pricing"[^}]*\} 1$/m.test(metrics))
          throw new Error(`the breaker stays closed, and the last estimate was answered: ${answer}`);
      });
    },
    mend: [reachable('the gateway reaches pricing again', 'gatewayToPricing')],
  },
  /**
   * A forgotten session locks the table of offers, so each listing holds a connection until its timeout. The calls go directly to
   * offers, because the gateway's circuit breaker would soon refuse them.
   */
  DatabasePoolExhausted: {
    cause: async ({ hold, repeat, addresses, secrets }) => {
      await hold('offers', 'LOCK TABLE offers IN ACCESS EXCLUSIVE MODE');
      const headers = signedCaller({ audience: 'offers' }, secrets().offersContext);
      const list = () =>
        fetch(`${addresses.offers}/offers?environment=test`, {
          headers,
          signal: AbortSignal.timeout(10_000),
        });
      for (let caller = 0; caller < 30; caller += 1) repeat(1_000, list);
    },
    mend: endForgotten('offers'),
  },
  /** A forgotten session locks the sign-in requests: the loop that answers them fails, and nobody gets a link. */
  LoopFailing: {
    cause: ({ hold }) => hold('gateway', 'LOCK TABLE sign_in_requests IN ACCESS EXCLUSIVE MODE'),
    mend: endForgotten('gateway'),
  },
  RateLimitStoreDown: {
    cause: async ({ links }) => links.valkey.takeDown(),
    mend: [reachable('Valkey can be reached again', 'valkey')],
  },
  /** Somebody changed the table by hand, so that it refuses the gateway's rows. */
  CallLogLost: {
    cause: async ({ stores, repeat, call }) => {
      await query(
        stores.databases.gateway,
        'ALTER TABLE calls ADD CONSTRAINT by_hand CHECK (duration_ms < 0) NOT VALID',
      );
      repeat(200, () => call('/categories'));
    },
    mend: [
      `sql gateway -c "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'calls'::regclass AND contype = 'c'"`,
      'sql gateway -c "ALTER TABLE calls DROP CONSTRAINT IF EXISTS by_hand"',
    ],
  },
  EmergencyTokenUsed: {
    cause: listByEmergencyToken,
    mend: ['admin audit list --limit 20', elsewhere('the person signs out', async () => {})],
  },
};

/** The console lists organisations for somebody who has signed in with an emergency token. */
async function listByEmergencyToken({ addresses, secrets }: DrillSystem): Promise<void> {
  const reply = await fetch(`${addresses.gatewayAdmin}/admin/organisations`, {
    headers: {
      authorization: `Bearer ${adminCredential(secrets().consoleToken, 'gateway')}`,
      [adminActorHeader]: 'ann',
      [adminViaHeader]: 'emergency',
    },
    signal: AbortSignal.timeout(30_000),
  });
  await reply.body?.cancel();
  if (!reply.ok) throw new Error(`the call was answered with ${reply.status}`);
}

/** Transactions that somebody began and forgot, with their locks. Our own transactions never wait that long. */
function endForgotten(database: DatabaseName): readonly Step[] {
  return [
    `sql ${database} -c "SELECT pid, application_name, usename, state, now() - xact_start AS since, left(query, 60) AS query FROM pg_stat_activity WHERE datname = current_database() AND xact_start < now() - interval '10 seconds' ORDER BY xact_start"`,
    `sql ${database} -c "SELECT pid, pg_terminate_backend(pid) AS ended FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND state_change < now() - interval '10 seconds'"`,
  ];
}
