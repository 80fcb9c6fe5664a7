/** What is bought and what it costs, before LIVE money is spent. The button names the amount. */
import { DialogForm } from '../../../../../../ui/dialog-form.tsx';
import { momentText } from '../../../../../../ui/time-text.ts';
import { hasVatOnCard, vatOnCard } from '../../../../amounts/amount-fields.ts';
import { useAmounts, useBalance, useFigures } from '../../../../amounts/amounts.ts';
import { usePortal } from '../../../../session.ts';
import { useOfferNow } from '../../../../test-clock.ts';
import { useInterests } from '../../offers-data.ts';
import { PlaceText } from '../../place-text.tsx';
import { type Draft, knownPlacesOf, periodOf } from '../draft.ts';
import type { Estimate, PlaceEstimate } from '../price/use-estimate.ts';

type PurchaseProps = {
  readonly draft: Draft;
  readonly estimate: Estimate;
  readonly buy: () => Promise<void>;
  readonly close: () => void;
};

export function Purchase({
  draft,
  estimate: { costMinor, places: estimated, reply },
  buy,
  close,
}: PurchaseProps) {
  const { session, mode } = usePortal();
  const { country } = session.organisation;
  const amount = useAmounts();
  const { countText } = useFigures();
  const pay = usePayText();
  const balance = useBalance();
  const interests = useInterests();
  const places = knownPlacesOf(draft);
  const period = periodOf(draft, useOfferNow()());
  if (places.length === 0 || period === null || reply === null || costMinor === null) return null;
  const byCard = draft.paymentMethod === 'E';
  const vat = byCard ? vatOnCard(costMinor, country) : 0n;
  const held = balance.data === undefined ? null : BigInt(balance.data.balanceMinor);
  const chosen = interests.data?.interests.filter(({ interest_id: id }) => draft.interestIds.includes(id));
  const end = momentText(period.end.toISOString());
  return (
    <DialogForm
      title="Pay and publish?"
      submit={pay(costMinor, draft.paymentMethod)}
      send={async () => {
        close();
        void buy();
        return null;
      }}
      close={close}
      cautious
    >
      <dl class="facts">
        <dt>Offer</dt>
        <dd class="as-written">{draft.title}</dd>
        <dt>{places.length === 1 ? 'Place' : `${places.length} places`}</dt>
        <dd>
          {places.map((place, index) => (
            <div key={index}>
              {places.length > 1 && place.label !== '' ? (
                <span class="as-written">{place.label}</span>
              ) : (
                <PlaceText offer={{ ...place, radius: draft.radiusMiles }} />
              )}
              {places.length > 1 && <PlacePart of={estimated?.[index]} />}
            </div>
          ))}
        </dd>
        <dt>Time</dt>
        <dd>
          {draft.starts === 'now'
            ? `from ${byCard ? 'the payment' : 'now'} until ${end}`
            : `${momentText(period.start.toISOString())} to ${end}`}
        </dd>
        <dt>Members</dt>
        <dd>
          <div>{draft.genders.length === 0 ? 'Everybody' : draft.genders.join(', ')}</div>
          {draft.interestIds.length > 0 && (
            <div>
              interested in{' '}
              {chosen?.map(({ interest_name: name }) => name).join(' or ') ??
                `one of ${draft.interestIds.length} interests`}
            </div>
          )}
          <div>{countText(reply.matching_users)} at present</div>
        </dd>
        <dt>Price</dt>
        <dd>{amount(costMinor, reply.currency)}, without VAT</dd>
        <dt>VAT</dt>
        <dd>
          {vat > 0n
            ? `${amount(vat, reply.currency)} (20%)`
            : hasVatOnCard(country)
              ? 'none: it was paid when the balance was topped up'
              : 'none'}
        </dd>
        <dt>Paid</dt>
        <dd>{byCard ? 'by card, on the next page' : `at once, from the ${mode.toUpperCase()} balance`}</dd>
        {!byCard && held !== null && (
          <>
            <dt>Balance</dt>
            <dd>
              {amount(held)} now, <span>{amount(held - costMinor)} afterwards</span>
            </dd>
          </>
        )}
      </dl>
    </DialogForm>
  );
}

function PlacePart({ of }: { readonly of: PlaceEstimate | undefined }) {
  const amount = useAmounts();
  return (
    <span class="muted">{of === undefined || of.costMinor === null ? '' : ` · ${amount(of.costMinor)}`}</span>
  );
}

/** The words of a button that spends money, with what is paid: "Pay GBP 84.43 by card". */
export function usePayText(): (costMinor: bigint, paymentMethod: Draft['paymentMethod']) => string {
  const { country } = usePortal().session.organisation;
  const amount = useAmounts();
  return (costMinor, paymentMethod) =>
    paymentMethod === 'E'
      ? `Pay ${amount(costMinor + vatOnCard(costMinor, country))} by card`
      : `Pay ${amount(costMinor)} from the balance`;
}
