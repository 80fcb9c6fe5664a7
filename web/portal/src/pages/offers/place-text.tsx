/** The place of an offer in words: by its coordinates until the names of towns are loaded. */
import { aroundText, coordinatesText } from '../../map/cities.ts';
import { useCities } from '../../map/use-cities.ts';

type PlaceTextProps = {
  readonly offer: { readonly latitude: number; readonly longitude: number; readonly radius: number };
};

export function PlaceText({ offer }: PlaceTextProps) {
  const cities = useCities();
  return (
    <>
      {cities === null
        ? `${offer.radius} miles around ${coordinatesText(offer)}`
        : aroundText(cities, offer, offer.radius)}
    </>
  );
}
