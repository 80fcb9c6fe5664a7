/**
 * All placement keys in memory. They are few, so a replica reads all of them a few times a second, and a revocation is in force on every
 * replica a second after its commit (decision 25, revoked on every replica).
 */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { isWellFormedPlacementKey } from '../domain/keys/api-key.ts';
import { isInForce } from '../domain/keys/key-state.ts';
import { sha256Of } from './key-cache.ts';
import { type PlacementKeyFacts, readPlacementKeys } from './placement-keys-store.ts';

export type PlacementKey = {
  /** False: it was disabled, or has expired. */
  readonly works: boolean;
  readonly id: number;
  readonly mode: Mode;
  readonly requestsPerMinute: number;
  readonly sha256: Buffer;
};

export type PlacementKeys = {
  /**
   * The key of a request. Null for everything else that a caller may send. It returns a promise only when the keys must be read first, which
   * rejects with 503 when they cannot be read.
   */
  readonly find: (sent: string | string[] | undefined) => PlacementKey | null | Promise<PlacementKey | null>;
};

/** Three reads in a second, so that one may be slow before what was read becomes too old. */
const readShare = 0.3;

export function startReadingPlacementKeys(o: {
  readonly postgres: Queryable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How old the latest read may be, in milliseconds. */
  readonly unconfirmedMs: number;
  readonly elapsedMs?: (() => number) | undefined;
}): PlacementKeys & AsyncDisposable {
  const elapsedMs = o.elapsedMs ?? (() => performance.now());
  let bySha256: ReadonlyMap<string, PlacementKeyFacts> = new Map();
  /** By the text that a caller has sent, so that a request computes no hash. Nothing writes the texts anywhere. */
  let byText = new Map<string, PlacementKeyFacts>();
  let readAtMs = -Infinity;

  async function read(): Promise<void> {
    const startedAtMs = elapsedMs();
    const keys = await readPlacementKeys(o.postgres);
    bySha256 = new Map(keys.map((key) => [key.sha256.toString('latin1'), key]));
    byText = new Map();
    readAtMs = startedAtMs;
  }

  function look(text: string): PlacementKey | null {
    const key = byText.get(text) ?? bySha256.get(sha256Of(text).toString('latin1'));
    if (key === undefined) return null;
    byText.set(text, key);
    return { ...key, works: isInForce(key, o.clock.now()) };
  }

  const everyMs = o.unconfirmedMs * readShare;
  const loop = startLoop({ ...o, name: 'placement-keys', everyMs, work: read });
  const isCurrent = () => elapsedMs() - readAtMs < o.unconfirmedMs;
  return {
    find: (sent) => {
      if (typeof sent !== 'string' || !(byText.has(sent) || isWellFormedPlacementKey(sent))) return null;
      if (isCurrent()) return look(sent);
      return loop.runNow().then(
        () => look(sent),
        (error: unknown) => {
          throw serviceUnavailable('placement keys cannot be read', error);
        },
      );
    },
    [Symbol.asyncDispose]: loop[Symbol.asyncDispose],
  };
}
