/** The system that drills break. After `recover` nothing that a drill broke on purpose is broken any more. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DemoOrganisation } from '@offer-ads/dev/demo-data/organisations';
import type { Stores } from '@offer-ads/dev/start/stores';
import pg from 'pg';
import { unusedAddress } from '../harness/advertiser.ts';
import { setFaults } from '../harness/simulators.ts';
import type { System } from '../harness/system.ts';
import { type Trade, tradeOf } from '../harness/trade.ts';

type Call = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};
export type DatabaseName = keyof Stores['databases'];

export type DrillSystem = System & {
  readonly organisation: DemoOrganisation;
  readonly trade: Trade;
  /** Calls the public API. Each call has a client address of its own, so that it meets no limit. */
  readonly call: (path: string, init?: Call) => Promise<Response>;
  /** Switches faults of a simulator on; `{}` switches them off. */
  readonly simulate: (simulator: 'stripe' | 'rates' | 'mail', faults: object) => Promise<void>;
  readonly restartWith: (process: string, env: Readonly<Record<string, string>>) => Promise<void>;
  /** A session that keeps the locks of the statement, as a forgotten one does. */
  readonly hold: (database: DatabaseName, statement: string) => Promise<void>;
  /** Repeats the work, each time after the one before has ended. What it throws is part of the fault. */
  readonly repeat: (everyMs: number, work: () => Promise<unknown>) => void;
  /** Stops a process for a while, again and again, as on a machine that has no processor left for it. */
  readonly stopAndContinue: (service: string, o: { stoppedMs: number; runningMs: number }) => void;
  readonly stopRepeating: () => Promise<void>;
  readonly recover: () => Promise<void>;
};

/** No fault lasts longer, whatever happens to its drill. */
const LONGEST_MS = 15 * 60_000;

export function drillSystemOn(system: System): DrillSystem {
  const [organisation] = system.state().organisations;
  if (organisation === undefined) throw new Error('there is no organisation to work with');
  const simulate: DrillSystem['simulate'] = (simulator, faults) => setFaults(system, simulator, faults);
  let stopping = new AbortController();
  let running: Promise<void>[] = [];
  let sessions: pg.Client[] = [];

  const repeat: DrillSystem['repeat'] = (everyMs, work) => {
    const { signal } = stopping;
    const until = performance.now() + LONGEST_MS;
    const loop = async () => {
      while (!signal.aborted && performance.now() < until) {
        await work().catch(() => {});
        await pause(everyMs, undefined, { signal }).catch(() => {});
      }
    };
    running.push(loop());
  };
  async function stopRepeating(): Promise<void> {
    stopping.abort();
    await Promise.all(running);
    stopping = new AbortController();
    running = [];
  }
  return {
    ...system,
    organisation,
    trade: tradeOf(system),
    call: (path, init) =>
      fetch(`${system.addresses.gateway}${path}`, {
        signal: AbortSignal.timeout(30_000),
        ...init,
        headers: {
          'x-api-key': organisation.keys.TEST,
          'x-forwarded-for': unusedAddress(),
          ...init?.headers,
        },
      }),
    simulate,
    restartWith: async (process, env) => {
      await system.stop(process);
      system.setEnv(process, env);
      await system.start(process);
    },
    hold: async (database, statement) => {
      const session = new pg.Client({
        connectionString: system.stores.databases[database],
        application_name: 'psql',
      });
      // The runbook ends it.
      session.on('error', () => {});
      await session.connect();
      sessions.push(session);
      await session.query('BEGIN');
      await session.query(statement);
    },
    repeat,
    stopAndContinue: (service, { stoppedMs, runningMs }) =>
      repeat(runningMs, async () => {
        const pid = system.pidOf(service);
        process.kill(pid, 'SIGSTOP');
        // It continues whatever happens: a stopped process cannot even end in order.
        await pause(stoppedMs).finally(() => process.kill(pid, 'SIGCONT'));
      }),
    stopRepeating,
    recover: async () => {
      await stopRepeating();
      await Promise.all(sessions.map((session) => session.end().catch(() => {})));
      sessions = [];
      for (const link of Object.values(system.links)) link.bringBack();
      await system.startAll();
      await Promise.all([simulate('stripe', {}), simulate('rates', {}), simulate('mail', {})]);
    },
  };
}
