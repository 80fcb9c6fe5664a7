/** Loads the towns that a page needs: those around a place, and those that fit a text. */
import { useEffect, useState } from 'preact/hooks';
import { type Cities, type City, type Place, searchIn } from './cities.ts';
import { finest, tileOf } from './tile-grid.ts';

/** The towns around a place, to name it. Null until they are loaded, and if that fails: then pages show coordinates. */
export function useTownsNear(place: Place | null): Cities | null {
  const [near, setNear] = useState<{ readonly tile: string; readonly towns: Cities } | null>(null);
  const tile = place === null ? null : tileOf(finest, place);
  useEffect(() => {
    if (place === null) return;
    return unlessLeft(
      import('./tiles.ts').then(({ townsNear }) => townsNear(place)),
      (towns) => setNear(tile === null ? null : { tile, towns }),
    );
  }, [tile]);
  return near !== null && near.tile === tile ? near.towns : null;
}

export type FoundTowns = { readonly text: string; readonly towns: readonly City[] };

const none: FoundTowns = { text: '', towns: [] };

/** The towns that fit a text, the best first. Those of an earlier text stay until the new ones are known: `text` says for which they are. */
export function useTownSearch(text: string, most: number): FoundTowns {
  const [found, setFound] = useState(none);
  useEffect(() => {
    if (text === '') return setFound(none);
    return unlessLeft(
      import('./town-lists.ts').then(({ townsFor }) => townsFor(text)),
      (towns) => setFound({ text, towns: searchIn(towns)(text, most) }),
    );
  }, [text, most]);
  return text === '' ? none : found;
}

function unlessLeft<T>(loading: Promise<T>, loaded: (value: T) => void): () => void {
  let left = false;
  loading.then(
    (value) => left || loaded(value),
    () => {},
  );
  return () => {
    left = true;
  };
}
