/** The places that an organisation keeps for new offers (decision 268, saved places). */
import type { SavedPlace, SavedPlaceWish } from '@offer-ads/contracts/portal/organisation-api';
import { savedPlaceLimits } from '@offer-ads/contracts/values/offer-limits';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { done, type Outcome, refused } from '../domain/outcome.ts';
import { type Administration, type Change, withOrganisation } from './change-organisation.ts';
import * as store from './saved-places-store.ts';

export type SavedPlaceRefusal = 'place-unknown' | 'place-exists' | 'too-many-places';
export type ManagedPlaces = ReturnType<typeof manageSavedPlaces>;

export function manageSavedPlaces(o: Administration) {
  /** Under the organisation's lock, so that two people cannot save one name, or one place too many. */
  const withPlaces = <T, R extends SavedPlaceRefusal>(
    change: Change,
    work: (tx: Transaction, places: readonly SavedPlace[]) => Promise<Outcome<T, R>>,
  ) =>
    withOrganisation(o, { ...change, permission: 'offers' }, async (tx, { id }) =>
      work(tx, await store.listPlaces(tx, id)),
    );

  return {
    list: (organisationId: number) => store.listPlaces(o.postgres, organisationId),

    save: (change: Change, wish: SavedPlaceWish) =>
      withPlaces(change, async (tx, places) => {
        if ((await store.findPlaceNamed(tx, change.organisationId, wish.name)) !== null)
          return refused('place-exists');
        if (places.length >= savedPlaceLimits.most) return refused('too-many-places');
        return done(await store.insertPlace(tx, change.organisationId, wish));
      }),

    change: (change: Change, place: SavedPlace) =>
      withPlaces(change, async (tx, places) => {
        if (!places.some(({ id }) => id === place.id)) return refused('place-unknown');
        const named = await store.findPlaceNamed(tx, change.organisationId, place.name);
        if (named !== null && named !== place.id) return refused('place-exists');
        await store.updatePlace(tx, place);
        return done(place);
      }),

    delete: (change: Change, id: number) =>
      withPlaces(change, async (tx, places) => {
        if (!places.some((place) => place.id === id)) return refused('place-unknown');
        await store.deletePlace(tx, id);
        return done({});
      }),
  };
}
