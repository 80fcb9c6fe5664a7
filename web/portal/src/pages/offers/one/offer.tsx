/** The page of one offer: preview, state, actions, views and clicks. */
import '../offers.css';
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { actionsOf } from '@offer-ads/contracts/values/offer-actions';
import { byFact, offerTexts } from '@offer-ads/contracts/values/offer-texts';
import { useEffect, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import { Later } from '../../../../../ui/later.tsx';
import { Notice } from '../../../../../ui/notice.tsx';
import { type Report, useOutcome } from '../../../../../ui/outcome.tsx';
import { momentText } from '../../../../../ui/time-text.ts';
import { When } from '../../../../../ui/when.tsx';
import { useAmounts } from '../../../amounts/amounts.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { useOfferNow } from '../../../test-clock.ts';
import { pageOf } from '../groups.ts';
import { MemberCard } from '../member-card.tsx';
import { MapSources } from '../new/places/map-sources.tsx';
import { OfferActions } from '../offer-actions.tsx';
import { useOffer, useOffersChanged, useOffersTitled } from '../offers-data.ts';
import { PaymentLink } from '../payment-link.tsx';
import { PlaceText } from '../place-text.tsx';
import { quotedOffer } from '../quoted.ts';
import { isWithheld, lostMinor, nextText } from '../standing.ts';
import { StateBadges } from '../state-badges.tsx';
import { Analytics } from './analytics.tsx';
import { Changes } from './changes.tsx';
import { ExtendOffer } from './extend-offer.tsx';
import { linkedOffers } from './following-offer.ts';
import { useInvoiceLinks } from './invoice-links.tsx';
import { OfferNotLoaded } from './offer-not-loaded.tsx';
import { Results } from './results.tsx';

/** How often to reload: often while a payment is expected, else near the next change of state. */
function askAgain(offer: PortalOffer | undefined): number | false {
  if (offer === undefined || offer.offer_status === 'Ended' || offer.deleted_datetime !== null) return false;
  return offer.offer_status === 'Awaiting Payment' ? 3_000 : 30_000;
}

export function Offer() {
  const { id = '' } = useRoute().params;
  const offer = useOffer(id, askAgain);
  if (offer.data === undefined) return <OfferNotLoaded title="Offer" what="offer" query={offer} />;
  return <Known key={id} offer={offer.data} />;
}

/** The form of a new offer, filled with what this one has. */
function Duplicate({ offer }: { readonly offer: PortalOffer }) {
  const { at, may } = usePortal();
  if (!may('offers')) return null;
  return (
    <a class="button quiet" href={`${at('offers/new')}?from=${offer.offer_id}`}>
      Duplicate
    </a>
  );
}

/** Why the platform team has disabled it, and what its advertiser can do. */
function Disabled({ offer, report }: { readonly offer: PortalOffer; readonly report: Report }) {
  const { api, mode, may } = usePortal();
  const changed = useOffersChanged();
  const ask = async () => {
    const reply = await api.send('POST', `/${mode}/offers/${offer.offer_id}/review-request`);
    await changed();
    report(reply.ok, reply.ok ? 'The platform team was asked to look at the offer again.' : reply.message);
  };
  return (
    <Notice kind="warning">
      <p>
        The platform team's reason: <q class="as-written">{offer.disabled_reason}</q>
      </p>
      {isWithheld(offer) &&
        (offer.review_waiting_datetime !== null ? (
          <p>
            Since <When at={offer.review_waiting_datetime} /> it waits for the platform team to look at it
            again.
          </p>
        ) : (
          may('offers') && (
            <>
              <p>
                Edit the offer as the reason says: the platform team then looks at it again. If nothing must
                change, ask them to look again.
              </p>
              <div>
                <BusyButton class="quiet" work={ask}>
                  Ask for another look
                </BusyButton>
              </div>
            </>
          )
        ))}
    </Notice>
  );
}

function Known({ offer }: { readonly offer: PortalOffer }) {
  const now = useOfferNow();
  const { at, mode, may } = usePortal();
  const amount = useAmounts();
  const invoices = useInvoiceLinks(offer);
  const { outcome, report } = useOutcome();
  const [extending, setExtending] = useState<PortalOffer | null>(null);
  const [hasPicture, setHasPicture] = useState(true);
  const isDeleted = offer.deleted_datetime !== null;
  const lost = lostMinor(offer, now());
  // What a deletion credits is booked a moment later: `credited_minor` has it already.
  const creditedSoFar =
    isDeleted || offer.paid_datetime === null ? 0n : BigInt(offer.cost_minor) - BigInt(offer.spend_minor);
  const titled = useOffersTitled(offer.title);
  const { before, after, last, isLastKnown } = linkedOffers(
    offer,
    isDeleted ? [] : (titled.data?.data ?? []),
  );
  // Only when it is known which offer is the last: an earlier one would be extended twice.
  // From the mail "Offer ends soon": opens the dialog once, when it is known which offer is the last.
  const { extend } = useRoute().query;
  const canExtend = isLastKnown && last.offer_status !== 'Awaiting Payment' && !isWithheld(last);
  const opensExtend = extend !== undefined && canExtend && may('offers');
  useEffect(() => {
    if (opensExtend) setExtending(last);
  }, [opensExtend]);
  const paysCard = offer.payment_method === 'E';
  return (
    <PortalPage
      title={offer.title}
      lead={
        <>
          <a href={at('offers')}>All offers</a>
          {offer.group_id !== null && (
            <>
              {' / '}
              <a href={at(`offers/groups/${offer.group_id}`)}>All its places</a>
            </>
          )}
          {offer.place_label !== null && <> / {offer.place_label}</>}
        </>
      }
      actions={
        isDeleted ? (
          <div class="row">
            <Duplicate offer={offer} />
          </div>
        ) : (
          <OfferActions offer={offer} report={report}>
            {canExtend && (
              <button type="button" onClick={() => setExtending(last)}>
                Extend
              </button>
            )}
            {actionsOf(offer.offer_status).includes('edit') && (
              <a class="button quiet" href={at(`offers/${offer.offer_id}/edit`)}>
                Edit
              </a>
            )}
            <Duplicate offer={offer} />
          </OfferActions>
        )
      }
    >
      {extending !== null && <ExtendOffer offer={extending} close={() => setExtending(null)} />}
      {outcome}
      <section class="offer-top" aria-label="State">
        {hasPicture ? (
          <img
            class="offer-picture"
            src={offer.image}
            alt={`Picture of the offer ${quotedOffer(offer)}`}
            width={192}
            height={192}
            // That of a deleted offer is kept for 30 days.
            onError={() => setHasPicture(!isDeleted)}
          />
        ) : (
          <p class="muted small">The picture is no longer kept.</p>
        )}
        <div class="stack">
          <div aria-live="polite" class="stack">
            {isDeleted ? (
              <>
                <span class="badges">
                  <span class="badge muted">Deleted</span>
                </span>
                <p>
                  It was deleted on <When at={offer.deleted_datetime} />, when it was {offer.offer_status}.
                  Members do not see it.
                </p>
              </>
            ) : (
              <>
                <StateBadges offer={offer} />
                <p>{nextText(offer, now(), momentText)}</p>
                {after !== null && (
                  <p>
                    It continues until <When at={after.expiry_datetime} /> as{' '}
                    <a href={at(`offers/${after.offer_id}`)}>offer {after.offer_id}</a>
                    {after.offer_status === 'Awaiting Payment' && ', once that is paid'}.
                  </p>
                )}
                {before !== null && (
                  <p>
                    It follows <a href={at(`offers/${before.offer_id}`)}>offer {before.offer_id}</a>, to{' '}
                    <When at={before.expiry_datetime} />.
                  </p>
                )}
              </>
            )}
            {!isDeleted && offer.disabled_reason !== null && <Disabled offer={offer} report={report} />}
          </div>
          {offer.payment_url !== null && (
            <div class="card">
              <h2>Waits for its payment</h2>
              {lost !== null && (
                <p>
                  Its time passes until it is paid, and its end stays. The part of its price for that time,{' '}
                  {amount(lost, offer.currency)} so far, is credited to the {mode.toUpperCase()} balance after
                  the payment.
                </p>
              )}
              {may('offers') && <PaymentLink url={offer.payment_url} isQuiet />}
              <p class="muted small">This page updates by itself when the offer is paid.</p>
            </div>
          )}
          <dl class="facts">
            <dt>Price</dt>
            <dd>
              {amount(offer.cost_minor, offer.currency)}
              {offer.vat_minor !== '0' && ` and ${amount(offer.vat_minor, offer.currency)} VAT`}
              {paysCard ? ', by card' : ', from the balance'}
            </dd>
            <dt>Paid</dt>
            <dd>
              <When at={offer.paid_datetime} none="not yet" />
            </dd>
            {invoices !== null && (
              <>
                <dt>Invoice</dt>
                <dd class="row">{invoices}</dd>
              </>
            )}
            {creditedSoFar > 0n && (
              <>
                <dt>Credited</dt>
                <dd>
                  {amount(creditedSoFar, offer.currency)} for time in which it did not run, to the balance
                </dd>
              </>
            )}
            {offer.credited_minor !== null && (
              <>
                <dt>Credited</dt>
                <dd>
                  {offer.credited_minor === '0'
                    ? 'nothing'
                    : `${amount(offer.credited_minor, offer.currency)} for its unused time, to the balance`}
                </dd>
              </>
            )}
            <dt>{isDeleted ? 'Was to run' : 'Runs'}</dt>
            <dd>
              <When at={offer.start_datetime} /> to <When at={offer.expiry_datetime} />
            </dd>
            {offer.group_id !== null && (
              <>
                <dt>Ordered</dt>
                <dd>
                  {offer.place_label !== null && <span class="as-written">for {offer.place_label}, </span>}
                  <a href={at(pageOf({ groupId: offer.group_id, offerId: offer.offer_id }))}>
                    with its other places
                  </a>
                </dd>
              </>
            )}
            <dt>Created</dt>
            <dd>
              <When at={offer.creation_datetime} />, number {offer.offer_id}
            </dd>
          </dl>
        </div>
      </section>
      <Results offer={offer} />
      <Analytics of={{ kind: 'offer', id: offer.offer_id }} offer={offer} />
      <div class="offer-body">
        <section class="card" aria-labelledby="offer-texts">
          <h2 id="offer-texts">What members see</h2>
          <MemberCard
            draft={byFact((text) => offer[offerTexts[text].field] ?? offer.trading_name)}
            picture={hasPicture ? offer.image : null}
            otherwise="The picture is no longer kept."
          />
          <dl class="facts">
            <dt>Category</dt>
            <dd>{offer.category}</dd>
            <dt>Leads to</dt>
            <dd>
              <a href={offer.url} target="_blank" rel="noreferrer">
                {offer.url}
              </a>
            </dd>
          </dl>
        </section>
        <section class="card" aria-labelledby="offer-target">
          <h2 id="offer-target">Who sees it</h2>
          <div class="offer-map">
            <Later what="The map" load={() => import('../../../map/target-map.tsx')}>
              {({ TargetMap }) => <TargetMap place={offer} radiusMiles={offer.radius} />}
            </Later>
          </div>
          <dl class="facts">
            <dt>Place</dt>
            <dd>
              <PlaceText offer={offer} />
            </dd>
            <dt>Gender</dt>
            <dd>{offer.gender.length === 0 ? 'Everybody' : offer.gender.join(', ')}</dd>
            <dt>Interests</dt>
            <dd>
              {offer.interests.length === 0
                ? 'Any'
                : offer.interests.map(({ interest_name }) => interest_name).join(', ')}
            </dd>
          </dl>
          <MapSources />
        </section>
      </div>
      <Changes offer={offer} />
    </PortalPage>
  );
}
