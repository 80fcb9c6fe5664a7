/**
 * Stores the draft of one organisation and mode while the person visits other pages: only in this tab, until it is closed. The picture
 * is kept until the portal is reloaded.
 */
import { useEffect, useState } from 'preact/hooks';
import { usePortal } from '../../../session.ts';
import { writeTab } from '../../../tab-storage.ts';
import { type Draft, draftAt, isBegun, type Target } from './draft.ts';
import { placeOfDraft, readKeptDraft } from './price/first-estimate.ts';

type Pictures = { [place: string]: File | undefined };
const pictures: Pictures = {};

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

/** @param start the circle of an empty draft */
export function useKeptDraft(start: Target): KeptDraft {
  const { scope } = usePortal();
  const place = placeOfDraft(scope);
  const [kept, setKept] = useState(() => readKeptDraft(scope));
  const [draft, setDraft] = useState(kept ?? draftAt(start));
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
      setDraft((before) => ({ ...before, hasPicture: next !== null }));
    },
    begin: (next) => {
      delete pictures[place];
      writeTab(place, null);
      setKept(null);
      setDraft(next ?? draftAt(start));
      setPicture(null);
    },
  };
}
