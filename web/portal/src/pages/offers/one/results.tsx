/** What an offer has brought for its price: members, cost of clicks and views, and how much of its time has run. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { costPer } from '@offer-ads/contracts/values/cost-per';
import { useAmounts, useFigures } from '../../../amounts/amounts.ts';
import { ranText } from './ran-text.ts';

export function Results({ offer }: { readonly offer: PortalOffer }) {
  const amount = useAmounts();
  const { countText } = useFigures();
  const spend = spendOf(offer);
  const cost = (count: number, per?: number) => {
    const minor = costPer(spend, count, per);
    return minor === null ? '–' : amount(minor, offer.currency);
  };
  const boughtSeconds = (Date.parse(offer.expiry_datetime) - Date.parse(offer.start_datetime)) / 1_000;
  const ran = ranText(offer.ran_seconds, boughtSeconds);
  return (
    <section class="card" aria-labelledby="offer-results">
      <h2 id="offer-results">Results</h2>
      <dl class="results">
        <div>
          <dt>Members matched</dt>
          <dd class="figure">{countText(offer.matching_users)}</dd>
        </div>
        <div>
          <dt>Cost per click</dt>
          <dd class="figure">{cost(offer.clicks)}</dd>
        </div>
        <div>
          <dt>Cost per 1,000 views</dt>
          <dd class="figure">{cost(offer.views, 1_000)}</dd>
        </div>
        <div>
          <dt>Time run</dt>
          <dd class="figure">{ran.time}</dd>
        </div>
      </dl>
      <progress class="run" max={boughtSeconds} value={offer.ran_seconds} aria-label="Time run">
        {ran.share}
      </progress>
      <p class="muted small">
        {ran.share} of the time you bought. Members matched is how many fitted your choices when you bought
        it. The costs are {amount(spend, offer.currency)}, what you paid less what was credited, without VAT,
        divided by the clicks and views so far.
      </p>
    </section>
  );
}

/** What a deletion credits is booked a moment later: `credited_minor` has it already. */
function spendOf(offer: PortalOffer): bigint {
  if (offer.paid_datetime === null) return 0n;
  return offer.credited_minor === null
    ? BigInt(offer.spend_minor)
    : BigInt(offer.cost_minor) - BigInt(offer.credited_minor);
}
