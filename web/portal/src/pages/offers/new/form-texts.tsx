/** Category, texts and web address of an offer. */
import { Field } from '../../../../../ui/field.tsx';
import { usePortal } from '../../../session.ts';
import { useCategories } from '../offers-data.ts';
import { type Draft, type Faults, lengthOf, limits } from './draft.ts';

export type FieldsProps = {
  readonly draft: Draft;
  readonly faults: Faults;
  readonly set: (part: Partial<Draft>) => void;
};

export function TextFields({ draft, faults, set }: FieldsProps) {
  const { session } = usePortal();
  const categories = useCategories();
  return (
    <>
      <Field
        label="Category"
        fault={
          categories.isError ? `The categories cannot be shown: ${categories.error.message}` : faults.category
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
        text={draft.title}
        atMost={limits.title}
        fault={faults.title}
        set={(title) => set({ title })}
      />
      <Counted
        label="Description"
        long
        text={draft.description}
        atMost={limits.description}
        fault={faults.description}
        set={(description) => set({ description })}
      />
      <Counted
        label="Terms and conditions (optional)"
        long
        text={draft.terms}
        atMost={limits.terms}
        fault={faults.terms}
        set={(terms) => set({ terms })}
      />
      <Counted
        label="Advertised name (optional)"
        hint={`The business name that members see. If you leave it empty: ${session.organisation.tradingName}. You need the permission of that business. Invoices always have your organisation's name.`}
        text={draft.advertisedName}
        atMost={limits.advertisedName}
        fault={faults.advertisedName}
        set={(advertisedName) => set({ advertisedName })}
      />
      <Field
        label="Address of the offer"
        hint="The web page that opens when a member clicks on the offer."
        fault={faults.url}
      >
        {(described) => (
          <input
            {...described}
            type="url"
            inputMode="url"
            placeholder="https://"
            value={draft.url}
            onInput={(event) => set({ url: event.currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}

type CountedProps = {
  readonly label: string;
  readonly hint?: string;
  readonly long?: boolean;
  readonly text: string;
  readonly atMost: number;
  readonly fault: string | undefined;
  readonly set: (text: string) => void;
};

function Counted({ label, hint, long = false, text, atMost, fault, set }: CountedProps) {
  const length = lengthOf(text);
  const isOver = length > atMost;
  return (
    <div>
      <Field
        label={label}
        hint={hint}
        fault={
          fault ??
          (isOver
            ? `${length - atMost} ${length - atMost === 1 ? 'character' : 'characters'} too long.`
            : undefined)
        }
      >
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
      <p class="counter" data-over={isOver}>
        {length} of {atMost}
      </p>
    </div>
  );
}
