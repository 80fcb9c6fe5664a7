/** What invoices show of the organisation beside its name and country (Admin). */
import type { BillingDetailsReply } from '@offer-ads/contracts/portal/organisation-api';
import {
  MAX_ADDRESS_LINES,
  MAX_CHARACTERS_OF_PURCHASE_ORDER,
} from '@offer-ads/contracts/values/billing-details';
import { vatNumberWords } from '@offer-ads/contracts/values/vat-number';
import { useQueryClient } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { InputField, TextAreaField } from '../../../../ui/field.tsx';
import { Form, textOf } from '../../../../ui/form.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { billingDetailsKey, useBillingDetails } from '../../organisation.ts';
import { usePortal } from '../../session.ts';

export function BillingDetails() {
  const details = useBillingDetails();
  return (
    <section class="stack" aria-labelledby="billing-details">
      <h2 id="billing-details">Billing details</h2>
      <Loaded query={details} what="the billing details" lines={6}>
        {(data) => <Details of={data} />}
      </Loaded>
    </section>
  );
}

function Details({ of }: { readonly of: BillingDetailsReply }) {
  const { api, session } = usePortal();
  const queries = useQueryClient();
  // The browser looked for the anchor of the address before the page was there.
  useEffect(() => {
    if (location.hash === '#billing-details') document.getElementById('billing-details')?.scrollIntoView();
  }, []);
  const save = async (values: FormData, form: HTMLFormElement) => {
    const address = textOf(values, 'address')
      .split('\n')
      .map((text) => text.trim())
      .filter((text) => text !== '');
    const json = {
      address,
      vatNumber: textOf(values, 'vatNumber') || null,
      purchaseOrder: textOf(values, 'purchaseOrder') || null,
    };
    const reply = await api.send<BillingDetailsReply>('PUT', '/organisation/billing-details', { json });
    if (!reply.ok) return reply.message;
    queries.setQueryData(billingDetailsKey(session), reply.body);
    // As they are kept: the address without empty lines, the number with its prefix.
    setValue(form, 'address', reply.body.address.join('\n'));
    setValue(form, 'vatNumber', reply.body.vatNumber ?? '');
    return null;
  };
  return (
    <div class="card">
      {of.address.length === 0 && (
        <p class="notice warning">
          Your invoices show no address. Without it, many businesses cannot book an invoice.
        </p>
      )}
      <Form
        send={save}
        submit="Save the billing details"
        kind="quiet"
        label="Billing details"
        saved="Saved. Invoices show them from now on; earlier ones stay as they are."
      >
        <TextAreaField
          label="Address"
          hint={`Up to ${MAX_ADDRESS_LINES} lines, without name and country: street, town, postal code.`}
          name="address"
          placesFaults
          rows={5}
          autocomplete="street-address"
          defaultValue={of.address.join('\n')}
        />
        <InputField
          label="VAT number"
          hint={`Leave it empty if you have none. ${vatNumberWords(session.organisation.country)}.`}
          name="vatNumber"
          placesFaults
          maxLength={40}
          autocomplete="off"
          spellcheck={false}
          defaultValue={of.vatNumber ?? ''}
        />
        <InputField
          label="Purchase order"
          hint="Your own reference, if your accountants ask for one on each invoice."
          name="purchaseOrder"
          placesFaults
          maxLength={MAX_CHARACTERS_OF_PURCHASE_ORDER}
          autocomplete="off"
          defaultValue={of.purchaseOrder ?? ''}
        />
      </Form>
    </div>
  );
}

function setValue(form: HTMLFormElement, name: string, value: string): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.value = value;
}
