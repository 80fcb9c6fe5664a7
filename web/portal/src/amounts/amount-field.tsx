/** A text field for an amount of the account. Its fault is shown after an attempt to send it, until the amount is corrected. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../../../ui/field.tsx';
import { usePortal } from '../session.ts';
import { readAmount, type TypedAmount } from './amount-fields.ts';

export type AmountInput = {
  readonly text: string;
  readonly set: (text: string) => void;
  readonly read: TypedAmount;
  /** Shows the fault, if there is one. */
  readonly showFault: () => void;
  readonly fault: string | undefined;
};

export function useAmountInput(initial = ''): AmountInput {
  const { organisation } = usePortal().session;
  const [text, set] = useState(initial);
  const [isTried, setTried] = useState(false);
  const read = readAmount(text, organisation);
  return {
    text,
    set: (next) => {
      if (readAmount(next, organisation).ok || next === '') setTried(false);
      set(next);
    },
    read,
    showFault: () => setTried(true),
    fault: isTried && !read.ok ? read.fault : undefined,
  };
}

type AmountFieldProps = {
  readonly label: string;
  readonly hint: string;
  readonly input: Pick<AmountInput, 'text' | 'set' | 'fault'>;
  readonly required?: boolean;
};

export function AmountField({ label, hint, input, required = false }: AmountFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const isFaulty = input.fault !== undefined;
  // Screen readers then read the fault.
  useEffect(() => {
    if (isFaulty) field.current?.focus();
  }, [isFaulty]);
  return (
    <Field label={label} hint={hint} fault={input.fault}>
      {(described) => (
        <input
          {...described}
          ref={field}
          inputMode="decimal"
          autocomplete="off"
          value={input.text}
          onInput={(event) => input.set(event.currentTarget.value)}
          required={required}
        />
      )}
    </Field>
  );
}
