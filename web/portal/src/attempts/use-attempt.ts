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
  /** The outcome is known. */
  readonly end: () => void;
  readonly stillUnknown: () => void;
};

export function useAttempt(kind: 'offer' | 'top-up' | 'play-money'): Attempts {
  const tabKey = `attempt ${kind} ${usePortal().scope.join(' ')}`;
  const [lost, setLost] = useState(() => readAttempt(readTab(tabKey), new Date()));
  const latest = useRef(lost);
  const store = (attempt: Attempt | null) => {
    latest.current = attempt;
    writeTab(tabKey, attempt === null ? null : JSON.stringify(attempt));
  };
  return {
    lost,
    begin: (what) => {
      const isRepeat = latest.current !== null;
      const key = latest.current?.key ?? crypto.randomUUID();
      const attempt = { key, what, sentAt: new Date().toISOString() };
      store(attempt);
      return { ...attempt, isRepeat };
    },
    end: () => {
      store(null);
      setLost(null);
    },
    stillUnknown: () => setLost(latest.current),
  };
}
