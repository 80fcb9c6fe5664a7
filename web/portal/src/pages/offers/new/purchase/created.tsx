/** Shown after a creation: the payment that is left, or that everything is paid. */
import { Notice } from '../../../../../../ui/notice.tsx';
import { useAmounts, useBalance } from '../../../../amounts/amounts.ts';
import { PortalPage } from '../../../../portal-page.tsx';
import { usePortal } from '../../../../session.ts';
import { pageOf } from '../../groups.ts';
import { useGroup, useOffer } from '../../offers-data.ts';
import { PaymentLink } from '../../payment-link.tsx';
import { usePayText } from './purchase.tsx';
import type { CreatedReply } from './send-offer.ts';

type CreatedProps = { readonly created: CreatedReply; readonly another: () => void };

const LOOK_AGAIN_MS = 3_000;

export function Created({ created, another }: CreatedProps) {
  return 'group_id' in created ? (
    <CreatedGroup created={created} another={another} />
  ) : (
    <CreatedOffer created={created} another={another} />
  );
}

/** Read again until it is paid, in another tab or by somebody else. */
function untilPaid(url: string | null) {
  return (read: { readonly payment_url: string | null } | undefined) =>
    url !== null && (read === undefined || read.payment_url !== null) ? LOOK_AGAIN_MS : false;
}

function CreatedOffer({
  created,
  another,
}: CreatedProps & { readonly created: Exclude<CreatedReply, { readonly group_id: number }> }) {
  const { data: offer } = useOffer(String(created.offer_id), untilPaid(created.payment_url));
  const byCard = created.payment_url !== null;
  return (
    <Outcome
      what="The offer"
      url={created.payment_url}
      isPaid={!byCard || (offer !== undefined && offer.paid_datetime !== null)}
      status={byCard ? offer?.offer_status : created.status}
      cost={offer}
      page={pageOf({ groupId: null, offerId: created.offer_id })}
      another={another}
    />
  );
}

function CreatedGroup({
  created,
  another,
}: CreatedProps & { readonly created: Extract<CreatedReply, { readonly group_id: number }> }) {
  const { data: group } = useGroup(String(created.group_id), untilPaid(created.payment_url));
  const { offers, group_id: groupId } = created;
  const byCard = created.payment_url !== null;
  return (
    <Outcome
      what={`The offer at ${offers.length} places`}
      url={created.payment_url}
      isPaid={!byCard || (group !== undefined && group.payment_url === null)}
      status={byCard ? group?.offers[0]?.offer_status : offers[0]?.status}
      cost={group}
      page={pageOf({ groupId, offerId: 0 })}
      another={another}
    />
  );
}

type OutcomeProps = {
  readonly what: string;
  /** Null: it was paid from the balance. */
  readonly url: string | null;
  readonly isPaid: boolean;
  readonly status: string | undefined;
  /** Undefined while it is not known. */
  readonly cost:
    | { readonly cost_minor: string; readonly vat_minor: string; readonly currency: string }
    | undefined;
  readonly page: string;
  readonly another: () => void;
};

function Outcome({ what, url, isPaid, status, cost, page, another }: OutcomeProps) {
  const { at, mode } = usePortal();
  const amount = useAmounts();
  const balance = useBalance();
  const pay = usePayText();
  const next = (
    <div class="row">
      <a class={`button ${isPaid ? '' : 'quiet'}`} href={at(page)}>
        {page.startsWith('offers/groups/') ? 'Go to the offers' : 'Go to the offer'}
      </a>
      <button type="button" class="quiet" onClick={another}>
        Create another offer
      </button>
    </div>
  );
  return (
    <PortalPage title={isPaid ? `${what} is created` : 'One step left: pay'}>
      <div aria-live="polite">
        {isPaid && (
          <Notice kind="good">
            <p>
              It is paid{url === null && ` from the ${mode.toUpperCase()} balance`} and is{' '}
              <strong>{status}</strong>.
              {url === null &&
                balance.data !== undefined &&
                ` The balance is ${amount(balance.data.balanceMinor)} now.`}
            </p>
          </Notice>
        )}
      </div>
      {!isPaid && url !== null && (
        <section class="card pay-now" aria-label="Payment">
          <p>{what} is created. It starts once it is paid.</p>
          {cost !== undefined && (
            <>
              <p class="figure">{amount(BigInt(cost.cost_minor) + BigInt(cost.vat_minor), cost.currency)}</p>
              <p class="muted">
                {cost.vat_minor === '0'
                  ? 'No VAT is added.'
                  : `${amount(cost.cost_minor, cost.currency)} and ${amount(cost.vat_minor, cost.currency)} VAT.`}
              </p>
            </>
          )}
          <PaymentLink
            url={url}
            {...(cost === undefined ? {} : { label: pay(BigInt(cost.cost_minor), 'E') })}
          />
          <p class="muted small">
            {mode === 'live' && 'We mailed this link to your admins. '}
            Anybody who has the link can pay. This page shows when it is paid.
          </p>
        </section>
      )}
      {next}
    </PortalPage>
  );
}
