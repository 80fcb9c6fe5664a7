/**
 * The draft of one organisation and mode, kept while somebody goes elsewhere and comes back: in this tab only, and gone with it. The
 * picture stays as long as the portal is not loaded anew.
 */
import { useEffect, useState } from 'preact/hooks';
import { usePortal } from '../../../session.ts';
import { readTab, writeTab } from '../../../tab-storage.ts';
import { type Draft, emptyDraft, isBegun, readDraft } from './draft.ts';

type Pictures = { [place: string]: File | undefined };
const pictures: Pictures = {};

function placeOf(scope: readonly [number, string]): string {
  return `offer-draft ${scope.join(' ')}`;
}

export type KeptDraft = {
  readonly draft: Draft;
  readonly picture: File | null;
  /** It was begun before, and is here again. */
  readonly isBack: boolean;
  readonly set: (part: Partial<Draft>) => void;
  readonly setPicture: (picture: File | null) => void;
  readonly drop: () => void;
};

export function useKeptDraft(): KeptDraft {
  const { scope } = usePortal();
  const place = placeOf(scope);
  const [kept, setKept] = useState(() => readDraft(readTab(place)));
  const [draft, setDraft] = useState(kept ?? emptyDraft);
  const [picture, setPicture] = useState<File | null>(pictures[place] ?? null);
  useEffect(() => {
    if (isBegun(draft)) writeTab(place, JSON.stringify(draft));
  }, [draft, place]);
  return {
    draft,
    picture,
    isBack: kept !== null,
    set: (part) => setDraft((before) => ({ ...before, ...part })),
    setPicture: (next) => {
      pictures[place] = next ?? undefined;
      setPicture(next);
    },
    drop: () => {
      delete pictures[place];
      writeTab(place, null);
      setKept(null);
      setDraft(emptyDraft);
      setPicture(null);
    },
  };
}

/** Whether a draft waits in this organisation and mode. */
export function hasDraft(scope: readonly [number, string]): boolean {
  return readDraft(readTab(placeOf(scope))) !== null;
}
