/** A labelled field with its hint and error message, connected for screen readers. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

type Described = {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
};

type FieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The error message; undefined while the value is valid. */
  readonly fault?: string | undefined;
  /** Renders the input, select or textarea with the given attributes. */
  readonly children: (described: Described) => JSX.Element;
};

export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const texts = [hint === undefined ? null : `${id}-hint`, fault === undefined ? null : `${id}-fault`];
  const describedBy = texts.filter((text) => text !== null).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
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
