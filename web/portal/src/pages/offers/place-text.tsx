/** The place of an offer in words: by its coordinates until the names of towns are loaded. */
import { aroundText, coordinatesText } from '@offer-ads/contracts/places/cities';
import { useTownsNear } from '../../map/use-towns.ts';

type PlaceTextProps = {
  readonly offer: { readonly latitude: number; readonly longitude: number; readonly radius: number };
};

export function PlaceText({ offer }: PlaceTextProps) {
  const towns = useTownsNear(offer);
  return (
    <>
      {towns === null
        ? `${offer.radius} miles around ${coordinatesText(offer)}`
        : aroundText(towns, offer, offer.radius)}
    </>
  );
}
