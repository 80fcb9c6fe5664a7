/** A labelled field with its hint and error message, connected for screen readers. */
import { createContext, type JSX } from 'preact';
import { useContext, useEffect, useId } from 'preact/hooks';
import type { FieldFaults } from './field-faults.ts';

/** What a form knows of its fields: their names, and what the server says about them. */
export const FormFields = createContext<{
  readonly faults: FieldFaults;
  readonly names: Set<string>;
} | null>(null);

type Described = {
  readonly id: string;
  readonly name?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
};

type FieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The name that the server gives the field in its messages, which the form then shows here. */
  readonly name?: string;
  /** The error message; undefined while the value is valid. */
  readonly fault?: string | undefined;
  /** Renders the input, select or textarea with the given attributes. */
  readonly children: (described: Described) => JSX.Element;
};

export function Field({ label, hint, name, fault: ownFault, children }: FieldProps) {
  const id = useId();
  const form = useContext(FormFields);
  useEffect(() => {
    if (name === undefined || form === null) return;
    form.names.add(name);
    return () => void form.names.delete(name);
  }, [name, form?.names]);
  const fault = ownFault ?? (name === undefined ? undefined : form?.faults[name]);
  const texts = [hint === undefined ? null : `${id}-hint`, fault === undefined ? null : `${id}-fault`];
  const describedBy = texts.filter((text) => text !== null).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(name === undefined ? {} : { name }),
        ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
        ...(fault === undefined ? {} : { 'aria-invalid': true }),
      })}
      {hint !== undefined && (
        <span id={`${id}-hint`} class="hint">
          {hint}
        </span>
      )}
      {fault !== undefined && (
        <span id={`${id}-fault`} class="fault">
          {fault}
        </span>
      )}
    </div>
  );
}
