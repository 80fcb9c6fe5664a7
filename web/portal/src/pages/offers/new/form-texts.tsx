/** Category, texts and web address of an offer. */
import { type OfferText, offerTextFacts, offerTexts } from '@offer-ads/contracts/values/offer-texts';
import { useState } from 'preact/hooks';
import { afterPress } from '../../../../../ui/after-press.ts';
import { Field, InputField, Options, SelectField } from '../../../../../ui/field.tsx';
import { usePortal } from '../../../session.ts';
import { useCategories } from '../offers-data.ts';
import { completedUrl, type Draft, type Faults, lengthOf, tooLong, urlFault } from './draft.ts';
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
      <SelectField
        label="Category"
        fault={
          categories.isError
            ? `The categories could not be loaded. ${categories.error.message}`
            : faults.category
        }
        value={draft.categoryId}
        onChange={(event) => set({ categoryId: event.currentTarget.value })}
      >
        <option value="">{categories.isPending ? 'Loading …' : 'Choose one'}</option>
        <Options
          of={categories.data?.categories.map(({ category_id, category_name }) => [
            category_id,
            category_name,
          ])}
        />
      </SelectField>
      {offerTextFacts
        .filter((text) => offerTexts[text].isRequired)
        .map((text) => (
          <Counted key={text} text={text} draft={draft} faults={faults} set={set} />
        ))}
      <InputField
        label="Web address"
        hint="The page that opens when a member clicks the offer."
        fault={faults.url ?? (isUrlLeft && draft.url !== '' ? urlFault(draft.url) : undefined)}
        type="url"
        inputMode="url"
        placeholder="https://"
        value={draft.url}
        onInput={(event) => {
          setUrlLeft(false);
          set({ url: event.currentTarget.value });
        }}
        onBlur={() => {
          afterPress(() => setUrlLeft(true));
          const url = completedUrl(draft.url);
          if (url !== draft.url) set({ url });
        }}
      />
      <OptionalFields draft={draft} faults={faults} set={set} />
    </>
  );
}

function OptionalFields({ draft, faults, set }: FieldsProps) {
  const optional = offerTextFacts.filter((text) => !offerTexts[text].isRequired);
  const attention = optional.some((text) => draft[text] !== '') ? 'used' : '';
  const fault = optional.map((text) => faults[text] ?? '').join('');
  return (
    <More summary="Optional: conditions, another business name" attention={fault || attention}>
      {optional.map((text) => (
        <Counted key={text} text={text} draft={draft} faults={faults} set={set} />
      ))}
    </More>
  );
}

/** What helps to fill in a field; null: its label is enough. */
const hints: { readonly [Text in OfferText]: ((tradingName: string) => string) | null } = {
  title: null,
  description: null,
  termsAndConditions: () => 'Shown below the description, for example: “Mondays only.”',
  advertisedName: (tradingName) =>
    `The business name that members see. If it is empty, they see “${tradingName}”. You need the permission of that business.`,
};

function Counted({ text, draft, faults, set }: FieldsProps & { readonly text: OfferText }) {
  const { session } = usePortal();
  const { label, atMost } = offerTexts[text];
  const over = tooLong(draft[text], text);
  const Input = atMost > LONGEST_LINE ? 'textarea' : 'input';
  return (
    <div class="counted">
      <Field
        label={label}
        hint={hints[text]?.(session.organisation.tradingName)}
        fault={over ?? faults[text]}
      >
        {(described) => (
          <Input
            {...described}
            dir="auto"
            {...(Input === 'textarea' && { rows: 3 })}
            value={draft[text]}
            onInput={(event: { currentTarget: { value: string } }) =>
              set({ [text]: event.currentTarget.value })
            }
          />
        )}
      </Field>
      <p class="counter" data-over={over !== undefined}>
        {lengthOf(draft[text])} of {atMost}
      </p>
    </div>
  );
}

/** In characters. A longer text gets a field of several lines. */
const LONGEST_LINE = 100;
