/** The price of the current draft, requested a moment after the last change. Answers for older drafts are marked as old. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { bodyOrThrow, type Refusal, Refused, type Reply } from '../../../../../../ui/calls/call.ts';
import { minorOf } from '../../../../amounts/amount-fields.ts';
import { takeEstimate } from '../../../../early.ts';
import type { Portal } from '../../../../portal.ts';
import { usePortal } from '../../../../session.ts';
import { useAheadSeconds, useOfferNow, useTestClock } from '../../../../test-clock.ts';
import { type Draft, type Faults, missingForPrice } from '../draft.ts';
import { askEstimate, type Estimated, estimateQueryKey, firstDraft, keyOf } from './first-estimate.ts';
import { type Placed, placeRefusal } from './place-refusal.ts';

/** Longer than the steps of a moving slider, shorter than people notice. */
const PAUSE_MS = 300;
/** A price changes with the daily exchange rates and with members who join and leave. */
const FRESH_MS = 60_000;

export type PlaceEstimate = { readonly members: number; readonly costMinor: bigint | null };

export type Estimate = {
  /** Null while there is none to show. */
  readonly reply: Estimated | null;
  readonly costMinor: bigint | null;
  /** Of each place that is known, in their order; null while there is no reply. */
  readonly places: readonly PlaceEstimate[] | null;
  /** The draft has changed; a newer estimate is being requested. */
  readonly isOld: boolean;
  /** There is none to show yet, but it is on its way. */
  readonly isAsking: boolean;
  readonly faults: Faults;
  /** What the person must do first, if there can be no price for the draft. */
  readonly missing: string | null;
  /** Why there is no estimate, if no field is the cause. */
  readonly problem: string | null;
  readonly retry: () => Promise<unknown>;
  /** An estimate of the draft with a quote, for an offer that is sent at once. It replaces the shown one. */
  readonly quote: (now: Date) => Promise<Reply<Estimated>>;
  /** The first estimate was answered, or cannot be asked for. */
  readonly isFirstDone: boolean;
};

function estimateQuery(draft: Draft, portal: Portal, o: { aheadSeconds: number; key: string }) {
  const queryKey = estimateQueryKey(portal, o.key);
  return {
    queryKey,
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
      const early = await takeEstimate();
      if (early?.queryKey.join() === queryKey.join()) return bodyOrThrow(early.reply);
      const now = new Date(Date.now() + o.aheadSeconds * 1_000);
      return bodyOrThrow(askEstimate(draft, portal, { now, signal }));
    },
    staleTime: FRESH_MS,
  };
}

/** The estimate with which the page begins, for `PageComponent.firstQuery`. */
export function firstEstimate(portal: Portal) {
  const draft = firstDraft(portal);
  return draft && estimateQuery(draft, portal, { aheadSeconds: 0, key: keyOf(draft, 0) });
}

export function useEstimate(draft: Draft): Estimate {
  const portal = usePortal();
  const queries = useQueryClient();
  const aheadSeconds = useAheadSeconds();
  const key = keyOf(draft, aheadSeconds);
  const isClockKnown = !useTestClock().isLoading;
  const debounced = useDebounced(key);
  const offerNow = useOfferNow();
  const missing = missingForPrice(draft, offerNow());
  const isComplete = missing === null;
  const query = useQuery({
    ...estimateQuery(draft, portal, { aheadSeconds, key: debounced }),
    enabled: isComplete && debounced === key,
    placeholderData: keepPreviousData,
    refetchInterval: FRESH_MS,
  });
  const refused =
    query.error instanceof Refused && debounced === key && isClockKnown ? query.error.refusal : null;
  const placed = refused === null ? null : placeEstimateRefusal(refused);
  const reply = isComplete && query.error === null ? (query.data ?? null) : null;
  return {
    reply,
    // Nobody is reached, so there is nothing to buy.
    costMinor: reply === null || reply.matching_users === 0 ? null : costOf(reply, reply.currency),
    places:
      reply &&
      (reply.places ?? [reply]).map((place) => ({
        members: place.matching_users,
        costMinor: costOf(place, reply.currency),
      })),
    isOld: isComplete && (debounced !== key || query.isPlaceholderData),
    isAsking: isComplete && reply === null && (query.error === null || !isClockKnown),
    faults: placed?.faults ?? {},
    missing,
    problem:
      placed?.rest ?? (query.error !== null && placed === null && isClockKnown ? query.error.message : null),
    retry: query.refetch,
    isFirstDone: useOnce(!isComplete || query.isFetched),
    quote: async (now) => {
      const quoted = await askEstimate(draft, portal, { now, quote: true });
      if (quoted.ok)
        queries.setQueryData(estimateQuery(draft, portal, { aheadSeconds, key }).queryKey, quoted.body);
      return quoted;
    },
  };
}

function costOf({ estimated_cost: cost }: { readonly estimated_cost: number | null }, currency: string) {
  return cost === null ? null : (minorOf(cost, currency) ?? null);
}

/** For estimates, every code concerns the input. */
export function placeEstimateRefusal({ returnCode, message }: Refusal): Placed {
  return placeRefusal(returnCode && 'E1', message);
}

/** True from the first time on. */
function useOnce(now: boolean): boolean {
  const before = useRef(false);
  before.current ||= now;
  return before.current;
}

function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    if (value === debounced) return;
    const timer = setTimeout(() => setDebounced(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value, debounced]);
  return debounced;
}
