/** What a key may do, from where, and how much it may spend: the fields, the dialog in which an admin changes it, and its summary. */
import type { ApiKey } from '@offer-ads/contracts/portal/organisation-api';
import type { KeyAccess, KeyRights } from '@offer-ads/contracts/values/key-rights';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Refusal } from '../../../../ui/calls/call.ts';
import { DialogForm } from '../../../../ui/dialog-form.tsx';
import { TextAreaField } from '../../../../ui/field.tsx';
import { useAmounts } from '../../amounts/amounts.ts';
import { useSpendingFields } from '../../amounts/spending-fields.tsx';
import { maskOf } from './listed-keys.ts';

const accesses: Record<KeyAccess, { readonly title: string; readonly hint: string }> = {
  full: { title: 'Everything', hint: 'Reads, creates, changes and pays from the balance.' },
  'no-spending': { title: 'Without paying', hint: 'Creates and changes. A person pays by the payment link.' },
  'read-only': { title: 'Only reading', hint: 'Reads, and estimates prices.' },
};

const everything: KeyRights = {
  access: 'full',
  addresses: [],
  spendingPerDayMinor: null,
  spendingPerMonthMinor: null,
};

/** `read`: null when a field is wrong, which it then shows. */
type RightsFields = { readonly fields: JSX.Element; readonly read: () => KeyRights | null };

export function useRightsFields(before: KeyRights = everything): RightsFields {
  const [access, setAccess] = useState(before.access);
  const [addresses, setAddresses] = useState(before.addresses.join('\n'));
  const spending = useSpendingFields(before);
  return {
    read: () => {
      const limits = spending.read();
      return (
        limits && {
          access,
          addresses: addresses.split(/[\s,]+/).filter((address) => address !== ''),
          ...limits,
        }
      );
    },
    fields: (
      <>
        <fieldset>
          <legend>The key may do</legend>
          {Object.entries(accesses).map(([name, { title, hint }]) => (
            <label key={name} class="choice">
              <input
                type="radio"
                name="access"
                checked={access === name}
                onChange={() => setAccess(name as KeyAccess)}
              />
              <span>
                {title} <span class="hint">{hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {spending.fields}
        <TextAreaField
          label="Only from these IP addresses (optional)"
          hint="Addresses or ranges such as 192.0.2.0/24, one on each line."
          name="addresses"
          placesFaults
          rows={2}
          value={addresses}
          onInput={(event) => setAddresses(event.currentTarget.value)}
        />
      </>
    ),
  };
}

type ChangeRightsProps = {
  readonly of: ApiKey;
  readonly change: (rights: KeyRights) => Promise<Refusal | undefined>;
  readonly close: () => void;
};

export function ChangeRights({ of: key, change, close }: ChangeRightsProps) {
  const { fields, read } = useRightsFields(key.rights);
  return (
    <DialogForm
      title={`Limits of ${key.name} ${maskOf(key)}`}
      submit="Save"
      send={async () => {
        const rights = read();
        return rights === null ? null : ((await change(rights))?.message ?? null);
      }}
      close={close}
    >
      {fields}
    </DialogForm>
  );
}

/** Nothing for a key that may do everything. */
export function RightsOf({ of: { rights } }: { readonly of: ApiKey }) {
  const amount = useAmounts();
  const { access, addresses, spendingPerDayMinor: day, spendingPerMonthMinor: month } = rights;
  const facts = [
    ...(access === 'full' ? [] : [accesses[access].title.toLowerCase()]),
    ...(day === null ? [] : [`at most ${amount(day)} a day`]),
    ...(month === null ? [] : [`at most ${amount(month)} a month`]),
    ...(addresses.length === 0 ? [] : [`from ${addresses.join(', ')}`]),
  ];
  return facts.length === 0 ? null : <span class="muted small"> · {facts.join(' · ')}</span>;
}
