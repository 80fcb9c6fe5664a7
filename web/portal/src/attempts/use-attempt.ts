/** The current attempt of one kind in this tab, organisation and mode. */
import { useRef, useState } from 'preact/hooks';
import { usePortal } from '../session.ts';
import { readTab, writeTab } from '../tab-storage.ts';
import { type Attempt, readAttempt } from './attempt.ts';

export type Attempts = {
  /** Sent before; its outcome is unknown. */
  readonly lost: Attempt | null;
  /** Call it before sending. `isRepeat`: a request with this key was sent before. */
  readonly begin: (what: string) => Attempt & { readonly isRepeat: boolean };
  readonly settled: () => void;
  readonly stillUnknown: () => void;
};

export function useAttempt(kind: 'offer' | 'top-up' | 'play-money'): Attempts {
  const place = `attempt ${kind} ${usePortal().scope.join(' ')}`;
  const [lost, setLost] = useState(() => readAttempt(readTab(place), new Date()));
  const held = useRef(lost);
  const hold = (attempt: Attempt | null) => {
    held.current = attempt;
    writeTab(place, attempt === null ? null : JSON.stringify(attempt));
  };
  return {
    lost,
    begin: (what) => {
      const isRepeat = held.current !== null;
      const key = held.current?.key ?? crypto.randomUUID();
      const attempt = { key, what, sentAt: new Date().toISOString() };
      hold(attempt);
      return { ...attempt, isRepeat };
    },
    settled: () => {
      hold(null);
      setLost(null);
    },
    stillUnknown: () => setLost(held.current),
  };
}
