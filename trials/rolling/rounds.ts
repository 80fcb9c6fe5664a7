/** The rounds: in each of them every chosen service loses its replicas, one by one, while advertisers buy. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Allowance } from '../harness/load/retrying-caller.ts';
import type { Replica, Replicas } from '../harness/replicas.ts';
import type { Options, RoundName } from './options.ts';
import { type RotationStep, rotationSteps } from './rotation.ts';

export type Round = {
  readonly title: string;
  /** How many of each service there are in it. */
  readonly replicas: (o: Options) => number;
  readonly allowance: Allowance;
  /** How long the audit waits. A mail waits when the replica that sent it was killed (decision 91, mails sent twice). */
  readonly quietWithinMs: number;
  /** The services are changed once for each step; without steps once. */
  readonly steps?: readonly RotationStep[];
  /** The version of new replicas: this one, or the one before (`--from`); without it that of the old replicas. */
  readonly to?: 'this' | 'before';
  /** If the replicas run another version: migrates the databases under load, before the first replica is replaced. */
  readonly migrates?: true;
  /** @param code the working copy that new replicas run */
  readonly change: (
    replicas: Replicas,
    service: ServiceName,
    say: (line: string) => void,
    code: string | undefined,
  ) => Promise<void>;
};

const readyWithinMs = 120_000;

const rolling: Round = {
  title: 'Rolling: a new replica is ready before an old one goes',
  replicas: (o) => o.replicas,
  allowance: { refused: false, broken: false },
  quietWithinMs: 60_000,
  to: 'this',
  migrates: true,
  change: async (replicas, service, say, code) => {
    for (const old of replicas.of(service)) {
      const fresh = await replicas.add(service, code);
      say(`${old.name} -> ${fresh.name}, stopped in ${seconds(await replicas.retire(old))}`);
    }
  },
};

export const rounds: Record<RoundName, Round> = {
  rolling,
  back: {
    title: 'Back: the version before takes over again, on the databases of this one',
    replicas: rolling.replicas,
    allowance: rolling.allowance,
    quietWithinMs: rolling.quietWithinMs,
    change: rolling.change,
    to: 'before',
  },
  rotation: {
    ...rolling,
    title: 'Rotation: every secret is replaced, in three steps, each a rolling restart of all',
    steps: rotationSteps,
  },
  'in-place': {
    title: 'In place: the only replica stops, then another starts',
    replicas: () => 1,
    // Without a gateway nobody can answer.
    allowance: { refused: true, broken: false },
    quietWithinMs: 60_000,
    change: async (replicas, service, say, code) => {
      for (const old of replicas.of(service)) {
        const stopped = await replicas.retire(old);
        const startedAt = performance.now();
        const fresh = await replicas.add(service, code);
        say(
          `${old.name} stopped in ${seconds(stopped)}, ${fresh.name} ready after ${seconds(performance.now() - startedAt)}`,
        );
      }
    },
  },
  killed: {
    title: 'Killed: one of several replicas dies by SIGKILL',
    replicas: ({ replicas }) => replicas,
    allowance: { refused: true, broken: true },
    quietWithinMs: 240_000,
    change: async (replicas, service, say) => {
      const [victim] = replicas.of(service) as [Replica];
      replicas.kill(victim);
      const killedAt = performance.now();
      await pause(1_000);
      await becomesReady(victim);
      say(`${victim.name} killed, ready again after ${seconds(performance.now() - killedAt)}`);
    },
  },
};

function becomesReady({ name, port }: Replica): Promise<void> {
  return eventually(
    async () => {
      // A new connection each time, because one that is open belongs to the process that died.
      const url = `http://127.0.0.1:${port}/readyz`;
      const { ok } = await fetch(url, { headers: { connection: 'close' } });
      if (!ok) throw new Error(`${name} did not come back`);
    },
    { timeoutMs: readyWithinMs },
  );
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}
