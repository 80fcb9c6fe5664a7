/** One offer of any organisation, with buttons to disable and enable it. */
import type { AdminOfferReply } from '@offer-ads/contracts/admin/offers-api';
import { useRoute } from 'preact-iso';
import { Notice } from '../../../ui/notice.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { howLong } from '../how-long.ts';
import { ActionButton } from '../may.tsx';
import { Money } from '../money.tsx';
import { DisableOffer, EnableOffer } from '../offers/disable-offer.tsx';
import { OfferTexts } from '../offers/offer-texts.tsx';
import { OfferStanding, WhyDisabled } from '../offers/offers-table.tsx';
import { PictureFrame } from '../pictures/picture-frame.tsx';
import { useRead } from '../session.ts';
import { useAction } from '../use-action.ts';

export function Offer() {
  const { id = '' } = useRoute().params;
  const found = useRead<AdminOfferReply>(`/offers/offers/${id}`);
  return (
    <ConsolePage
      title={`Offer ${id}`}
      lead={
        found.data && (
          <>
            Of{' '}
            <a href={`/organisations/${found.data.organisationId}`}>
              organisation {found.data.organisationId}
            </a>
            , in {found.data.mode} mode
          </>
        )
      }
    >
      <Loaded query={found} what="the offer" lines={12}>
        {(offer) => <Shown offer={offer} />}
      </Loaded>
    </ConsolePage>
  );
}

function Shown({ offer }: { readonly offer: AdminOfferReply }) {
  const { asking, done, begin, end } = useAction<'disable' | 'enable'>();
  const { id, enabled, traffic } = offer;
  return (
    <>
      {done !== null && <Notice kind="good">{done}</Notice>}
      <section class="card" aria-labelledby="shown">
        <div class="row spread">
          <h2 id="shown">{offer.title}</h2>
          <ActionButton
            call={`POST /offers/offers/:id/${enabled ? 'disable' : 'enable'}`}
            class={enabled ? 'danger' : ''}
            onClick={() => begin(enabled ? 'disable' : 'enable')}
          >
            {enabled ? 'Disable …' : 'Enable …'}
          </ActionButton>
        </div>
        <WhyDisabled offer={offer} />
        <PictureFrame src={`/api/offers/images/${offer.imageHash}`} alt="What the offer shows" />
        <OfferTexts offer={offer} />
      </section>
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">Times and money</h2>
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <OfferStanding {...offer} />
          </dd>
          <dt>Created</dt>
          <dd>
            <When at={offer.createdAt} />
          </dd>
          <dt>Runs</dt>
          <dd>
            <When at={offer.startAt} /> to <When at={offer.expiryAt} />
          </dd>
          <dt>Unused so far</dt>
          <dd>
            {howLong(offer.unusedMs / 1_000)} of {howLong(offer.scheduledMs / 1_000)}
          </dd>
          <dt>Price</dt>
          <dd>
            <Money minor={offer.netMinor} currency={offer.currency} />
            {offer.vatMinor !== '0' && (
              <>
                {' '}
                and VAT of <Money minor={offer.vatMinor} currency={offer.currency} />
              </>
            )}
            , {offer.paymentMethod === 'B' ? 'from the balance' : 'by payment link'}
          </dd>
          <dt>Paid</dt>
          <dd>{offer.paidAt === null ? 'not yet' : <When at={offer.paidAt} />}</dd>
          {offer.deletedAt !== null && (
            <>
              <dt>Deleted</dt>
              <dd>
                <When at={offer.deletedAt} />
              </dd>
            </>
          )}
          <dt>Traffic</dt>
          <dd>
            views: {traffic.views}, clicks: {traffic.clicks}
            <div class="small muted">
              Not counted, because repeated or automated: views{' '}
              {traffic.viewsRepeated + traffic.viewsAutomated}, clicks{' '}
              {traffic.clicksRepeated + traffic.clicksAutomated}
            </div>
          </dd>
        </dl>
      </section>
      {asking === 'disable' && <DisableOffer id={id} close={end} />}
      {asking === 'enable' && <EnableOffer id={id} close={end} />}
    </>
  );
}
