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
            It was paid from the {mode.toUpperCase()} balance and is <strong>{offer.status}</strong>.
            {balance.data !== undefined && ` The balance is ${amount(balance.data.balanceMinor)} now.`}
          </p>
        </Notice>
      ) : (
        <section class="card" aria-labelledby="offer-pay">
          <h2 id="offer-pay">Pay it to start it</h2>
          <PaymentLink url={offer.payment_url} />
          <p class="muted">The same link was mailed to your admins. Anybody with the link can pay.</p>
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
          Create another one
        </button>
      </div>
    </PortalPage>
  );
}
