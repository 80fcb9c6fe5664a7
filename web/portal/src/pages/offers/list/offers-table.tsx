/** Offers with their figures. On a narrow screen each offer is a card. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { useState } from 'preact/hooks';
import { useAmounts, useFigures } from '../../../amounts/amounts.ts';
import { daysText } from '../../../amounts/figures.ts';
import { usePortal } from '../../../session.ts';
import { useOfferNow } from '../../../test-clock.ts';
import { type Done, OfferActions } from '../offer-actions.tsx';
import { PlaceText } from '../place-text.tsx';
import { lostMinor } from '../standing.ts';
import { StateBadges } from '../state-badges.tsx';
import { bulkActionsOf } from './selection.ts';

type OffersTableProps = {
  readonly offers: readonly PortalOffer[];
  readonly isWaiting: boolean;
  readonly chosen: ReadonlySet<number>;
  readonly choose: (ids: ReadonlySet<number>) => void;
  readonly done: (done: Done) => void;
};

export function OffersTable({ offers, isWaiting, chosen, choose, done }: OffersTableProps) {
  const mayChoose = usePortal().may('offers');
  const choosable = offers.filter((offer) => bulkActionsOf(offer).length > 0).map(({ offer_id: id }) => id);
  const areAll = choosable.length > 0 && choosable.every((id) => chosen.has(id));
  const toggle = (id: number) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return (
    <div class="offers-frame">
      <table class="offers-table" data-waiting={isWaiting}>
        <caption class="hidden">Offers with their views, clicks and spend</caption>
        <thead>
          <tr>
            {mayChoose && (
              <th scope="col" class="pick">
                <input
                  type="checkbox"
                  aria-label="Choose all listed offers that can be paused or resumed"
                  checked={areAll}
                  disabled={choosable.length === 0}
                  onChange={() => choose(new Set(areAll ? [] : choosable))}
                />
              </th>
            )}
            <th scope="col">Offer</th>
            <th scope="col">State</th>
            <th scope="col" class="numeric">
              Views
            </th>
            <th scope="col" class="numeric">
              Clicks
            </th>
            <th scope="col" class="numeric">
              Click rate
            </th>
            <th scope="col" class="numeric">
              Spend
            </th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {offers.map((offer) => (
            <OfferRow
              key={offer.offer_id}
              offer={offer}
              isChosen={chosen.has(offer.offer_id)}
              toggle={() => toggle(offer.offer_id)}
              done={done}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type OfferRowProps = {
  readonly offer: PortalOffer;
  readonly isChosen: boolean;
  readonly toggle: () => void;
  readonly done: (done: Done) => void;
};

function OfferRow({ offer, isChosen, toggle, done }: OfferRowProps) {
  const { at, may } = usePortal();
  const amount = useAmounts();
  const { countText, percentText } = useFigures();
  const now = useOfferNow();
  const canBeChosen = bulkActionsOf(offer).length > 0;
  return (
    <tr class="offer-row" data-chosen={isChosen}>
      {may('offers') && (
        <td class="pick">
          {canBeChosen && (
            <input
              type="checkbox"
              aria-label={`Choose ${offer.title}`}
              checked={isChosen}
              onChange={toggle}
            />
          )}
        </td>
      )}
      <th scope="row">
        <div class="offer-name">
          <Thumbnail src={offer.image} />
          <div>
            <a class="as-written" href={at(`offers/${offer.offer_id}`)}>
              {offer.title}
            </a>
            <p class="small muted">
              {daysText(offer.start_datetime, offer.expiry_datetime)}
              <span class="place">
                {' '}
                · <PlaceText offer={offer} />
              </span>
            </p>
          </div>
        </div>
      </th>
      <td class="state">
        <StateBadges offer={offer} />
        {lostMinor(offer, now()) !== null && <p class="small muted">Its time passes</p>}
      </td>
      <td class="numeric" data-label="Views">
        {countText(offer.views)}
      </td>
      <td class="numeric" data-label="Clicks">
        {countText(offer.clicks)}
      </td>
      <td class="numeric" data-label="Click rate">
        {percentText(offer)}
      </td>
      <td class="numeric" data-label="Spend">
        {amount(offer.spend_minor, offer.currency)}
      </td>
      <td class="does">{offer.deleted_datetime === null && <OfferActions offer={offer} done={done} />}</td>
    </tr>
  );
}

/** The picture of a deleted offer is removed after a month. */
function Thumbnail({ src }: { readonly src: string }) {
  const [isGone, setGone] = useState(false);
  if (isGone) return <span class="thumbnail" aria-hidden="true" />;
  return (
    <img
      class="thumbnail"
      src={src}
      alt=""
      width={48}
      height={48}
      loading="lazy"
      onError={() => setGone(true)}
    />
  );
}
