/** Offers that were ordered together, one for each place: their totals, what can be done with all, and each of them. */
import '../offers.css';
import '../list/list.css';
import type { PortalGroup } from '@offer-ads/contracts/portal/offers-api';
import { costPer } from '@offer-ads/contracts/values/cost-per';
import { actionsOf } from '@offer-ads/contracts/values/offer-actions';
import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Later } from '../../../../../ui/later.tsx';
import { useOutcome } from '../../../../../ui/outcome.tsx';
import { useAmounts, useFigures } from '../../../amounts/amounts.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { haveOneTitle, pageOf, placesText } from '../groups.ts';
import { GroupActions } from '../list/group-actions.tsx';
import { OffersTable } from '../list/offers-table.tsx';
import { MapSources } from '../new/places/map-sources.tsx';
import { usePayText } from '../new/purchase/purchase.tsx';
import { useGroup, useOffersTitled } from '../offers-data.ts';
import { PaymentLink } from '../payment-link.tsx';
import { isWithheld } from '../standing.ts';
import { Analytics } from './analytics.tsx';
import { ExtendGroup } from './extend-group.tsx';
import { linkedOffers } from './following-offer.ts';
import { useInvoiceLinks } from './invoice-links.tsx';
import { OfferNotLoaded } from './offer-not-loaded.tsx';

/** Often while a payment is expected. */
const everyMs = (group: PortalGroup | undefined) =>
  group === undefined || group.totals.offers === 0 ? false : group.payment_url === null ? 30_000 : 3_000;

export function Group() {
  const { id = '' } = useRoute().params;
  const group = useGroup(id, everyMs);
  if (group.data === undefined) return <OfferNotLoaded title="Offers" what="offers" query={group} />;
  return <Known group={group.data} />;
}

function Known({ group }: { readonly group: PortalGroup }) {
  const { at, may } = usePortal();
  const amount = useAmounts();
  const { countText, percentText } = useFigures();
  const pay = usePayText();
  const { outcome, report } = useOutcome();
  const [extending, setExtending] = useState(false);
  const left = group.offers.filter(({ deleted_datetime: at }) => at === null);
  const [first] = left;
  const [anyOffer, ...otherOffers] = left.length > 0 ? left : group.offers;
  const others = useOffersTitled(first?.title ?? '');
  const linked = first === undefined ? null : linkedOffers(first, others.data?.data ?? []);
  const next = linked?.after ?? null;
  const canExtend =
    may('offers') &&
    // Else they could be extended twice.
    linked?.isLastKnown === true &&
    next === null &&
    left.every((offer) => offer.offer_status !== 'Awaiting Payment' && !isWithheld(offer));
  // As the mail "Offers end soon" leads here.
  const { extend } = useRoute().query;
  const opensExtend = extend !== undefined && canExtend;
  useEffect(() => {
    if (opensExtend) setExtending(true);
  }, [opensExtend]);
  const { totals, offers, payment_url: url } = group;
  const invoices = useInvoiceLinks(offers.find(({ paid_datetime: at }) => at !== null));
  const cost = (count: number, per?: number) => {
    const minor = costPer(BigInt(totals.spend_minor), count, per);
    return minor === null ? '–' : amount(minor, group.currency);
  };
  return (
    <PortalPage
      title={group.title}
      lead={
        <>
          <a href={at('offers')}>All offers</a> /{' '}
          {haveOneTitle(offers)
            ? placesText(offers.length)
            : `${offers.length} offers that were ordered together`}
        </>
      }
      actions={
        <GroupActions groupId={group.group_id} offers={offers} report={report}>
          {canExtend && (
            <button type="button" onClick={() => setExtending(true)}>
              Extend all
            </button>
          )}
          {left.some(({ offer_status: status }) => actionsOf(status).includes('edit')) && (
            <a
              class="button quiet"
              href={at(`offers/groups/${group.group_id}/edit`)}
              aria-label={`Edit all: ${group.title}`}
            >
              Edit all
            </a>
          )}
        </GroupActions>
      }
    >
      {outcome}
      {extending && <ExtendGroup group={group} offers={left} close={() => setExtending(false)} />}
      {next !== null && (
        <p>
          They continue:{' '}
          <a href={at(pageOf({ groupId: next.group_id, offerId: next.offer_id }))}>the following offers</a>.
        </p>
      )}
      {url !== null && (
        <section class="card pay-now" aria-label="Payment">
          <p>{pay(BigInt(group.cost_minor), 'E')}: they start once they are paid, all together.</p>
          {may('offers') && <PaymentLink url={url} isQuiet />}
        </section>
      )}
      <dl class="card totals">
        {(
          [
            ['Running now', `${totals.live} of ${totals.offers}`],
            [
              'Members matched',
              countText(offers.reduce((sum, { matching_users: members }) => sum + members, 0)),
            ],
            ['Views', countText(totals.views)],
            ['Clicks', countText(totals.clicks)],
            ['Click rate', percentText(totals)],
            ['Cost per click', cost(totals.clicks)],
            ['Cost per 1,000 views', cost(totals.views, 1_000)],
            ['Spend', amount(totals.spend_minor, group.currency)],
          ] as const
        ).map(([title, text]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd class="figure">{text}</dd>
          </div>
        ))}
        {invoices !== null && (
          <div>
            <dt>Invoice</dt>
            <dd class="row">{invoices}</dd>
          </div>
        )}
      </dl>
      <OffersTable offers={offers} isWaiting={false} isOfGroup report={report} />
      {anyOffer !== undefined && (
        <>
          <Analytics of={{ kind: 'offer-group', id: group.group_id }} offer={anyOffer} />
          <section class="card" aria-labelledby="group-places">
            <h2 id="group-places">Where they are shown</h2>
            <div class="offer-map">
              <Later what="The map" load={() => import('../../../map/target-map.tsx')}>
                {({ TargetMap }) => (
                  <TargetMap place={anyOffer} radiusMiles={anyOffer.radius} others={otherOffers} />
                )}
              </Later>
            </div>
            <MapSources />
          </section>
        </>
      )}
    </PortalPage>
  );
}
