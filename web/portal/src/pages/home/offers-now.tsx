/** What runs now: the number of offers in each state, and those that end first. */
import type { PortalListReply, ResultsReply } from '@offer-ads/contracts/portal/offers-api';
import { Loaded } from '../../../../ui/states.tsx';
import { When } from '../../../../ui/when.tsx';
import { useFigures } from '../../amounts/amounts.ts';
import { usePortal } from '../../session.ts';
import { StateBadges } from '../offers/state-badges.tsx';
import type { HomeData } from './home-data.ts';

const states = [
  ['active', 'Active'],
  ['scheduled', 'Scheduled'],
  ['paused', 'Paused'],
  ['awaiting_payment', 'Awaiting Payment'],
] as const;

export function OffersNow({ of: { results, ending } }: { readonly of: HomeData }) {
  const { at } = usePortal();
  const offers = results.data?.offers;
  if (offers === undefined) return null;
  return (
    <>
      {offers.disabled > 0 && (
        <p class="notice warning">
          <span>
            The platform team has disabled {offers.disabled === 1 ? 'an offer' : `${offers.disabled} offers`},
            so members do not see {offers.disabled === 1 ? 'it' : 'them'}.{' '}
            <a href={at('offers?disabled=yes')}>See why</a>
          </span>
        </p>
      )}
      <Counts of={offers} />
      <Loaded query={ending} what="offers">
        {({ data }) => data.length > 0 && <EndingFirst offers={data} />}
      </Loaded>
    </>
  );
}

function Counts({ of: offers }: { readonly of: ResultsReply['offers'] }) {
  const { at } = usePortal();
  const { countText } = useFigures();
  return (
    <ul class="state-counts" aria-label="Offers now">
      {states.map(([state, label]) => (
        <li key={state}>
          <a href={at(`offers?state=${state}`)}>
            <span class="figure">
              {countText(offers[state])}
              {offers.are_more && '+'}
            </span>{' '}
            <span>{label}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function EndingFirst({ offers }: { readonly offers: PortalListReply['data'] }) {
  const { at } = usePortal();
  const { countText } = useFigures();
  return (
    <section class="card" aria-labelledby="ending">
      <div class="row spread">
        <h2 id="ending">Ending first</h2>
        <a href={at('offers?sort=ending_soon')}>All offers</a>
      </div>
      <ul class="offer-lines">
        {offers.map((offer) => (
          <li key={offer.offer_id}>
            <div>
              <a class="as-written" href={at(`offers/${offer.offer_id}`)}>
                {offer.title}
              </a>
              <p class="small muted">
                {offer.place_label !== null && `${offer.place_label} · `}Ends{' '}
                <When at={offer.expiry_datetime} /> · {countText(offer.views)} views ·{' '}
                {countText(offer.clicks)} clicks
              </p>
            </div>
            <StateBadges offer={offer} />
          </li>
        ))}
      </ul>
    </section>
  );
}
