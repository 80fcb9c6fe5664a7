/** Shown after a creation: the payment link, or that the offer is paid. */
import type { CreateReply } from '@offer-ads/contracts/public/api';
import { Notice } from '../../../../../ui/notice.tsx';
import { useAmounts, useBalance } from '../../../amounts.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { PaymentLink } from '../payment-link.tsx';

type CreatedProps = { readonly offer: CreateReply; readonly another: () => void };

export function Created({ offer, another }: CreatedProps) {
  const { at, mode } = usePortal();
  const amount = useAmounts();
  const balance = useBalance();
  return (
    <PortalPage title="The offer is created">
      {offer.payment_url === null ? (
        <Notice kind="good">
          <p>
            It is paid from your {mode.toUpperCase()} balance
            {balance.data !== undefined && `, which is now ${amount(balance.data.balanceMinor)}`}. The offer
            is <strong>{offer.status}</strong>.
          </p>
        </Notice>
      ) : (
        <section class="card" aria-labelledby="offer-pay">
          <h2 id="offer-pay">Pay for the offer</h2>
          <p>Members see the offer after it is paid.</p>
          <PaymentLink url={offer.payment_url} />
          <p class="muted">We mailed this link to your admins. Anybody who has the link can pay.</p>
        </section>
      )}
      <div class="row">
        <a
          class={`button ${offer.payment_url === null ? '' : 'quiet'}`}
          href={at(`offers/${offer.offer_id}`)}
        >
          Go to the offer
        </a>
        <button type="button" class="quiet" onClick={another}>
          Create another offer
        </button>
      </div>
    </PortalPage>
  );
}
