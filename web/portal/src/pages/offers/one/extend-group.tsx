/** Buys offers that follow those of a group: each with its own texts, picture and place, from its end on. */
import type { GroupCheckReply, PortalGroup, PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { sum } from '@offer-ads/contracts/values/sum';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { bodyOrThrow } from '../../../../../ui/calls/call.ts';
import { DialogForm } from '../../../../../ui/dialog-form.tsx';
import { InputField } from '../../../../../ui/field.tsx';
import { localText } from '../../../../../ui/time-text.ts';
import { useAmounts, useFigures } from '../../../amounts/amounts.ts';
import { usePortal } from '../../../session.ts';
import { useOfferNow } from '../../../test-clock.ts';
import { PaymentFields } from '../new/purchase/payment-fields.tsx';
import { usePayText } from '../new/purchase/purchase.tsx';
import { quoted } from '../quoted.ts';
import { Extended, useExtension } from './extend-offer.tsx';
import { followingPlaces } from './following-offer.ts';

type ExtendGroupProps = {
  readonly group: PortalGroup;
  /** Without deleted ones. */
  readonly offers: readonly PortalOffer[];
  readonly close: () => void;
};

export function ExtendGroup({ group, offers, close }: ExtendGroupProps) {
  const { api, mode, scope } = usePortal();
  const offerNow = useOfferNow();
  const amount = useAmounts();
  const { countText } = useFigures();
  const pay = usePayText();
  const [endAt, setEndAt] = useState<string | null>(null);
  const [paymentMethod, setPaymentMethod] = useState(group.payment_method);
  const extension = useExtension('/offer-groups');
  const queries = useQueryClient();

  const formOf = (places: readonly object[]) => {
    const form = new FormData();
    form.set('places', JSON.stringify(places));
    form.set('environment', mode.toUpperCase());
    form.set('payment_method', paymentMethod);
    return form;
  };
  const check = (now: Date, signal?: AbortSignal) =>
    bodyOrThrow(
      api.send<GroupCheckReply>('POST', `/${mode}/offer-groups/check`, {
        form: formOf(followingPlaces(offers, { now, endAt })),
        timeoutMs: 60_000,
        ...(signal !== undefined && { signal }),
      }),
    );
  const priceKey = [...scope, 'offers', 'extend-group', group.group_id, endAt];
  const price = useQuery({
    queryKey: priceKey,
    queryFn: () => check(offerNow()),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const totalOf = (checked: GroupCheckReply) =>
    sum(checked.offers.map(({ cost_minor: cost }) => BigInt(cost)));
  const shownMinor = price.data === undefined ? null : totalOf(price.data);

  const buy = async (): Promise<string | null> => {
    // Offers that have ended begin now, so their time is that of the purchase.
    const now = offerNow();
    const checked = await check(now).catch((error: Error) => error.message);
    if (typeof checked === 'string') return `${checked} Nothing was bought.`;
    const costMinor = totalOf(checked);
    if (shownMinor === null || costMinor > shownMinor) {
      queries.setQueryData(priceKey, checked);
      return `The price is now ${amount(costMinor, group.currency)}, without VAT. Nothing was bought. Buy again if you agree.`;
    }
    const quotes = checked.offers.map(({ quote_id: id }) => id);
    return extension.send(group.title, formOf(followingPlaces(offers, { now, endAt }, quotes)));
  };

  if (extension.created !== null)
    return <Extended title="The offers are extended" created={extension.created} close={close} />;
  return (
    <DialogForm
      title={`Extend ${quoted(group.title)} at ${offers.length === 1 ? 'its place' : `all ${offers.length} places`}`}
      submit={shownMinor === null ? 'Buy' : pay(shownMinor, paymentMethod)}
      send={buy}
      close={close}
    >
      <p>
        You buy new offers that follow these, with the same texts, pictures and places. Each starts when its
        own ends, or now if that is over, and runs as long.
      </p>
      <InputField
        label="Another end for all (optional)"
        fault={undefined}
        type="datetime-local"
        min={localText(offerNow())}
        value={endAt ?? ''}
        onInput={({ currentTarget: { value } }) => setEndAt(value === '' ? null : value)}
      />
      <div class="estimate" aria-live="polite">
        {price.isPending && <p class="muted">Loading the price …</p>}
        {price.isError && <p>{price.error.message}</p>}
        {price.data !== undefined && (
          <>
            <strong class="figure">{amount(totalOf(price.data), group.currency)}</strong>
            <p class="muted small">
              without VAT, for{' '}
              {countText(price.data.offers.reduce((all, { matching_users: members }) => all + members, 0))}{' '}
              members
            </p>
          </>
        )}
      </div>
      <PaymentFields
        draft={{ paymentMethod }}
        estimate={{ costMinor: shownMinor, isFirstDone: !price.isPending }}
        fault={undefined}
        disabled={false}
        set={({ paymentMethod: next }) => setPaymentMethod(next)}
      />
    </DialogForm>
  );
}
