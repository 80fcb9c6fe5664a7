/**
 * Stores the draft of one organisation and mode while the person visits other pages: only in this tab, until it is closed. The picture
 * is kept until the portal is reloaded.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Place } from '../../../map/cities.ts';
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
  /** The draft was begun on an earlier visit of the page. */
  readonly isBack: boolean;
  readonly set: (part: Partial<Draft>) => void;
  readonly setPicture: (picture: File | null) => void;
  /** Begins with another draft: with the empty one if none is given. */
  readonly begin: (draft?: Draft) => void;
};

/** @param start the place of an empty draft */
export function useKeptDraft(start: Place): KeptDraft {
  const { scope } = usePortal();
  const place = placeOf(scope);
  const [kept, setKept] = useState(() => readDraft(readTab(place)));
  const atStart = { latitude: String(start.latitude), longitude: String(start.longitude) };
  const [draft, setDraft] = useState(kept ?? { ...emptyDraft, ...atStart });
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
    begin: (next) => {
      delete pictures[place];
      writeTab(place, null);
      setKept(null);
      setDraft(next ?? { ...emptyDraft, ...atStart });
      setPicture(null);
    },
  };
}

/** Whether there is a draft in this organisation and mode. */
export function hasDraft(scope: readonly [number, string]): boolean {
  return readDraft(readTab(placeOf(scope))) !== null;
}
