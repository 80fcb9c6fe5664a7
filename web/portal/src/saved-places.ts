/** The saved places of the organisation, which are the same in both modes. Only for people who may create offers. */
import type { SavedPlace, SavedPlaces, SavedPlaceWish } from '@offer-ads/contracts/portal/organisation-api';
import { useQueryClient } from '@tanstack/preact-query';
import { usePortal, useRead } from './session.ts';

export function useSavedPlaces(o: { readonly enabled?: boolean } = {}) {
  const { session } = usePortal();
  return useRead<SavedPlaces>([session.organisation.id, 'places'], '/places', o);
}

/** Each returns why it failed, or null, and shows the list as it is afterwards. */
export function useChangePlaces() {
  const { api, session } = usePortal();
  const queries = useQueryClient();
  const change = async (method: 'POST' | 'PUT' | 'DELETE', path: string, json?: SavedPlaceWish) => {
    const reply = await api.send(method, `/places${path}`, json === undefined ? {} : { json });
    await queries.invalidateQueries({ queryKey: [session.organisation.id, 'places'] });
    return reply.ok ? null : reply.message;
  };
  return {
    save: (wish: SavedPlaceWish) => change('POST', '', wish),
    rename: ({ id, ...place }: SavedPlace, name: string) => change('PUT', `/${id}`, { ...place, name }),
    remove: ({ id }: SavedPlace) => change('DELETE', `/${id}`),
  };
}
