/** Follows the alerts of Prometheus from the beginning, so that no short one is missed. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Prometheus, Seen } from './prometheus.ts';

const LOOK_EVERY_MS = 500;

export type Change = {
  readonly alert: string;
  readonly severity: string;
  readonly state: Seen['state'] | 'resolved';
  readonly atMs: number;
};
export type Which = { readonly alert: string; readonly severity?: string | undefined };

export type AlertWatch = AsyncDisposable & {
  readonly isFiring: (which: Which) => boolean;
  /** The first such change since then. */
  readonly first: (which: Which, state: Change['state'], sinceMs: number) => Change | undefined;
  /** Names of those that fired since then. */
  readonly firedSince: (sinceMs: number) => readonly string[];
};

export function watchAlerts(prometheus: Prometheus): AlertWatch {
  const changes: Change[] = [];
  const states = new Map<string, Seen['state']>();
  const stopping = new AbortController();

  function note(seen: readonly Seen[]): void {
    const atMs = performance.now();
    const now = worstOf(seen);
    for (const key of new Set([...states.keys(), ...now.keys()])) {
      const state = now.get(key);
      if (state === states.get(key)) continue;
      const [alert = '', severity = ''] = key.split(' ');
      changes.push({ alert, severity, state: state ?? 'resolved', atMs });
      if (state === undefined) states.delete(key);
      else states.set(key, state);
    }
  }

  async function look(): Promise<void> {
    while (!stopping.signal.aborted) {
      // The next answer makes up for a missed one.
      await prometheus.alerts().then(note, () => {});
      await pause(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const looking = look();
  const isMeant = (which: Which, of: { alert: string; severity: string }) =>
    of.alert === which.alert && (which.severity ?? of.severity) === of.severity;

  return {
    isFiring: (which) =>
      [...states].some(([key, state]) => {
        const [alert = '', severity = ''] = key.split(' ');
        return state === 'firing' && isMeant(which, { alert, severity });
      }),
    first: (which, state, sinceMs) =>
      changes.find((change) => change.atMs >= sinceMs && change.state === state && isMeant(which, change)),
    firedSince: (sinceMs) => [
      ...new Set(
        changes.filter(({ state, atMs }) => state === 'firing' && atMs >= sinceMs).map(({ alert }) => alert),
      ),
    ],
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await looking;
    },
  };
}

/** An alert has several series, such as one for each service. It fires when one of them fires. */
function worstOf(seen: readonly Seen[]): Map<string, Seen['state']> {
  const worst = new Map<string, Seen['state']>();
  for (const { alert, labels, state } of seen) {
    const key = `${alert} ${labels.severity ?? ''}`;
    if (worst.get(key) !== 'firing') worst.set(key, state);
  }
  return worst;
}
