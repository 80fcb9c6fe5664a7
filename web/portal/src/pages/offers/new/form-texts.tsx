/** Category, texts and web address of an offer. */
import { useState } from 'preact/hooks';
import { Field } from '../../../../../ui/field.tsx';
import { usePortal } from '../../../session.ts';
import { useCategories } from '../offers-data.ts';
import { completedUrl, type Draft, type Faults, lengthOf, limits, tooLong, urlFault } from './draft.ts';
import { More } from './more.tsx';

export type FieldsProps = {
  readonly draft: Draft;
  readonly faults: Faults;
  readonly set: (part: Partial<Draft>) => void;
};

export function TextFields({ draft, faults, set }: FieldsProps) {
  const categories = useCategories();
  /** The person has left the field, so the address is complete. */
  const [isUrlLeft, setUrlLeft] = useState(false);
  return (
    <>
      <Field
        label="Category"
        fault={
          categories.isError
            ? `The categories could not be loaded. ${categories.error.message}`
            : faults.category
        }
      >
        {(described) => (
          <select
            {...described}
            value={draft.categoryId}
            onChange={(event) => set({ categoryId: event.currentTarget.value })}
          >
            <option value="">{categories.isPending ? 'Loading …' : 'Choose one'}</option>
            {categories.data?.categories.map(({ category_id, category_name }) => (
              <option key={category_id} value={String(category_id)}>
                {category_name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Counted
        label="Title"
        field="title"
        text={draft.title}
        fault={faults.title}
        set={(title) => set({ title })}
      />
      <Counted
        label="Description"
        long
        field="description"
        text={draft.description}
        fault={faults.description}
        set={(description) => set({ description })}
      />
      <Field
        label="Web address"
        hint="The page that opens when a member clicks the offer."
        fault={faults.url ?? (isUrlLeft && draft.url !== '' ? urlFault(draft.url) : undefined)}
      >
        {(described) => (
          <input
            {...described}
            type="url"
            inputMode="url"
            placeholder="https://"
            value={draft.url}
            onInput={(event) => {
              setUrlLeft(false);
              set({ url: event.currentTarget.value });
            }}
            onBlur={() => {
              setUrlLeft(true);
              const url = completedUrl(draft.url);
              if (url !== draft.url) set({ url });
            }}
          />
        )}
      </Field>
      <OptionalFields draft={draft} faults={faults} set={set} />
    </>
  );
}

function OptionalFields({ draft, faults, set }: FieldsProps) {
  const { session } = usePortal();
  const isUsed = draft.terms !== '' || draft.advertisedName !== '';
  const fault = `${faults.terms ?? ''}${faults.advertisedName ?? ''}`;
  return (
    <More summary="Optional: conditions, another business name" attention={fault || (isUsed ? 'used' : '')}>
      <Counted
        label="Terms and conditions"
        hint="Shown below the description, for example: “Mondays only.”"
        long
        field="terms"
        text={draft.terms}
        fault={faults.terms}
        set={(terms) => set({ terms })}
      />
      <Counted
        label="Advertised name"
        hint={`The business name that members see. If it is empty, they see “${session.organisation.tradingName}”. You need the permission of that business.`}
        field="advertisedName"
        text={draft.advertisedName}
        fault={faults.advertisedName}
        set={(advertisedName) => set({ advertisedName })}
      />
    </More>
  );
}

type CountedProps = {
  readonly label: string;
  readonly hint?: string;
  readonly long?: boolean;
  readonly field: keyof typeof limits;
  readonly text: string;
  readonly fault: string | undefined;
  readonly set: (text: string) => void;
};

function Counted({ label, hint, long = false, field, text, fault, set }: CountedProps) {
  const over = tooLong(text, field);
  return (
    <div class="counted">
      <Field label={label} hint={hint} fault={over ?? fault}>
        {(described) =>
          long ? (
            <textarea
              {...described}
              dir="auto"
              rows={3}
              value={text}
              onInput={(event) => set(event.currentTarget.value)}
            />
          ) : (
            <input
              {...described}
              dir="auto"
              value={text}
              onInput={(event) => set(event.currentTarget.value)}
            />
          )
        }
      </Field>
      <p class="counter" data-over={over !== undefined}>
        {lengthOf(text)} of {limits[field]}
      </p>
    </div>
  );
}
