/** Loads the places that a page needs: the towns around one, and those that fit a text. */

import type { Cities, Place } from '@offer-ads/contracts/places/cities';
import type { Wanted } from '@offer-ads/contracts/places/find-places';
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
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

/** The places that fit a text, the best first. Those of an earlier text stay until the new ones are known: `text` says for which they are. */
export function usePlaceSearch({ text, country, most }: Wanted) {
  return useQuery({
    queryKey: ['places', text, country, most],
    queryFn: async () => {
      const { placesFor } = await import('./place-lists.ts');
      return { text, ...(await placesFor({ text, country, most })) };
    },
    enabled: text !== '',
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    // What was loaded before is found without a connection; what was not is asked for again when there is one.
    networkMode: 'offlineFirst',
    retry: 2,
  });
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
