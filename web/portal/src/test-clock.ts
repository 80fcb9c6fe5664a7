/** The time by which the offers of this mode live: in TEST mode that of the organisation's test clock. */
import type { TestClockReply } from '@offer-ads/contracts/public/api';
import { usePortal, useRead } from './session.ts';

/** Only asked for in TEST mode, by people who may see offers. */
export function useTestClock() {
  const { mode, may, scope } = usePortal();
  return useRead<TestClockReply>([...scope, 'test-clock'], '/test/clock', {
    enabled: mode === 'test' && may('view-offers'),
    staleTime: 30_000,
  });
}

/** Seconds by which it is ahead of the real time; 0 in LIVE mode, and until it is known. */
export function useAheadSeconds(): number {
  const { mode } = usePortal();
  const { data } = useTestClock();
  return mode === 'test' ? (data?.offset_seconds ?? 0) : 0;
}

/** Now, for the offers. */
export function useOfferNow(): () => Date {
  const aheadSeconds = useAheadSeconds();
  return () => new Date(Date.now() + aheadSeconds * 1_000);
}
