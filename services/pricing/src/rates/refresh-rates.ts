/** Refreshes the day's rates: fetches, checks and stores them. After any error, the last good rates stay. */
import type { Clock } from '@offer-ads/platform/process/clock';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { ReferenceRates } from '../domain/rates/exchange-rate.ts';
import { jumpsOf } from '../domain/rates/rate-jumps.ts';
import { isNewerDue } from '../domain/rates/target-calendar.ts';
import type { CachedRates } from './cached-rates.ts';
import { type FeedRefusal, fetchRates } from './rates-feed.ts';
import type { RatesStore } from './rates-store.ts';

/** Why a fixing was refused; the reasons are labels of a metric. */
export type RatesRefusal =
  | FeedRefusal
  | { readonly ok: false; readonly reason: 'older'; readonly problem: string }
  | { readonly ok: false; readonly reason: 'jump'; readonly problem: string; readonly jump: Jump };
/** A fixing with currencies that moved implausibly far: it waits for a person. */
export type Jump = { readonly rates: ReferenceRates; readonly currencies: readonly string[] };
const reasons: readonly RatesRefusal['reason'][] = [
  'unreachable',
  'malformed',
  'wrong-date',
  'older',
  'jump',
];
export type RefreshResult = { readonly ok: true; readonly rates: ReferenceRates } | RatesRefusal;

export type RatesRefresher = {
  /**
   * For a person's request; accepts the feed as it is. If the feed has an earlier date than the latest stored fixing, the fixings after
   * that date are withdrawn, which is how a wrong one is removed.
   * @param acceptJump the date of a fixing that may jump, because a person has checked that it is right
   */
  readonly refreshNow: (o?: { acceptJump?: string | undefined }) => Promise<RefreshResult>;
  /** Fetches only if a newer fixing can exist, and with growing pauses after failures. */
  readonly refreshWhenDue: (signal?: AbortSignal) => Promise<void>;
  /** Why this replica's last fetch was refused; null if it was accepted, or if nothing newer is due and no jump waits for a person. */
  readonly refused: () => (RatesRefusal & { readonly at: Date }) | null;
};

const FIRST_PAUSE_MS = 15_000;
/** The feed is published once a day, so a delay of a quarter of an hour is harmless. */
const LONGEST_PAUSE_MS = 15 * 60_000;

type Parts = {
  readonly url: string;
  readonly store: Pick<RatesStore, 'save' | 'withdrawAfter'>;
  readonly cached: CachedRates;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

export function ratesRefresher(o: Parts): RatesRefresher {
  const refusals = o.metrics.counter({
    name: 'pricing_rates_refused_total',
    help: 'Answers of the rates feed that were not taken, by reason',
    labelNames: ['reason'],
    from0: { reason: reasons },
  });
  let attempts = 0;
  let notBeforeMs = 0;
  let refused: ReturnType<RatesRefresher['refused']> = null;

  async function ask(acceptJump?: string, signal?: AbortSignal): Promise<RefreshResult> {
    // Also compares with what other replicas have stored meanwhile; without the store, fetching is pointless.
    await o.cached.refresh();
    const fetched = await fetchRates({ url: o.url, now: o.clock.now(), ...(signal && { signal }) });
    if (!fetched.ok) return fetched;
    const { date } = fetched.rates;
    const jumps = jumpsOf(fetched.rates, o.cached.fixings());
    if (jumps.length === 0) return fetched;
    const jump = { rates: fetched.rates, currencies: jumps };
    if (acceptJump !== date) return { ok: false, reason: 'jump', problem: jumpProblem(date, jumps), jump };
    o.logger.warn({ audit: true, date, jumps }, 'rates that jump are accepted by an admin');
    return fetched;
  }

  function refuse(refusal: RatesRefusal): RatesRefusal {
    const { reason, problem } = refusal;
    const latest = o.cached.latestDate(o.clock.now());
    refusals.inc({ reason });
    refused = { ...refusal, at: o.clock.now() };
    o.logger.error({ reason, problem, latest }, 'rates refused: the last good ones stay in use');
    return refusal;
  }

  async function keep(rates: ReferenceRates): Promise<void> {
    await o.store.save(rates, o.clock.now());
    await o.cached.refresh();
    refused = null;
    o.logger.info({ date: rates.date }, 'rates stored');
  }

  return {
    refreshNow: async ({ acceptJump } = {}) => {
      const result = await ask(acceptJump);
      if (!result.ok) return refuse(result);
      await keep(result.rates);
      await o.store.withdrawAfter(result.rates.date);
      await o.cached.refresh();
      return result;
    },
    refreshWhenDue: async (signal) => {
      const now = o.clock.now();
      const last = o.cached.latestDate(now);
      if (last !== undefined && !isNewerDue(last, now)) {
        attempts = 0;
        // A correction with a jump waits for a person, until some replica has stored it.
        const waits =
          refused?.reason === 'jump' && jumpsOf(refused.jump.rates, o.cached.fixings()).length > 0;
        if (!waits) refused = null;
        return;
      }
      if (attempts > 0 && now.getTime() < notBeforeMs) return;
      notBeforeMs = now.getTime() + Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS);
      attempts += 1;
      const result = await ask(undefined, signal);
      if (signal?.aborted === true) return;
      if (!result.ok) return void refuse(result);
      const { date } = result.rates;
      if (last === undefined || date > last) {
        await keep(result.rates);
        attempts = 0;
        return;
      }
      refused = null;
      // The day's fixing may be late; the age of the rates shows when it is too late.
      if (date === last) return;
      refuse({ ok: false, reason: 'older', problem: `the feed is back at ${date}, and ${last} is stored` });
    },
    refused: () => refused,
  };
}

function jumpProblem(date: string, currencies: readonly string[]): string {
  const moved = `${currencies.join(', ')} moved by more than 20 % from the last good fixing to that of ${date}`;
  return `${moved}; if that is true: rates refresh --accept-jump ${date}`;
}
