/** Shown after a creation: the payment link until the offer is paid, or that it is paid. */
import type { CreateReply } from '@offer-ads/contracts/public/api';
import { Notice } from '../../../../../ui/notice.tsx';
import { useAmounts, useBalance } from '../../../amounts/amounts.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { useOffer } from '../offers-data.ts';
import { PaymentLink } from '../payment-link.tsx';

type CreatedProps = { readonly offer: CreateReply; readonly another: () => void };

const LOOK_AGAIN_MS = 3_000;

export function Created({ offer: created, another }: CreatedProps) {
  const { at, mode } = usePortal();
  const amount = useAmounts();
  const balance = useBalance();
  const byCard = created.payment_url !== null;
  // Read again until it is paid, in another tab or by somebody else.
  const read = useOffer(String(created.offer_id), (offer) =>
    byCard && (offer === undefined || offer.payment_url !== null) ? LOOK_AGAIN_MS : false,
  );
  const offer = read.data;
  const isPaid = !byCard || (offer !== undefined && offer.paid_datetime !== null);
  return (
    <PortalPage title="The offer is created">
      <div aria-live="polite">
        {isPaid && (
          <Notice kind="good">
            <p>
              It is paid{!byCard && ` from the ${mode.toUpperCase()} balance`} and is{' '}
              <strong>{byCard ? offer?.offer_status : created.status}</strong>.
              {!byCard &&
                balance.data !== undefined &&
                ` The balance is ${amount(balance.data.balanceMinor)} now.`}
            </p>
          </Notice>
        )}
      </div>
      {!isPaid && created.payment_url !== null && (
        <section class="card" aria-labelledby="offer-pay">
          <h2 id="offer-pay">Pay for the offer</h2>
          {offer !== undefined && (
            <p>
              Pay{' '}
              <strong>{amount(BigInt(offer.cost_minor) + BigInt(offer.vat_minor), offer.currency)}</strong>
              {offer.vat_minor === '0'
                ? '. No VAT is added.'
                : `: ${amount(offer.cost_minor, offer.currency)} and ${amount(offer.vat_minor, offer.currency)} VAT.`}
            </p>
          )}
          <PaymentLink url={created.payment_url} />
          <p class="muted">
            {mode === 'live' && 'We mailed this link to your admins. '}
            Anybody who has the link can pay. This page shows when the offer is paid.
          </p>
        </section>
      )}
      <div class="row">
        <a class={`button ${isPaid ? '' : 'quiet'}`} href={at(`offers/${created.offer_id}`)}>
          Go to the offer
        </a>
        <button type="button" class="quiet" onClick={another}>
          Create another offer
        </button>
      </div>
    </PortalPage>
  );
}
