/** A group of choices with its error message. Screen readers read the message when the group gets the focus. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type ChoicesProps = {
  readonly legend: string;
  /** The error message; undefined while the choice is valid. */
  readonly fault?: string | undefined;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
};

export function Choices({ legend, fault, disabled = false, children }: ChoicesProps) {
  const id = useId();
  return (
    <fieldset
      disabled={disabled}
      {...(fault === undefined ? {} : { 'aria-describedby': id, 'data-faulty': true })}
    >
      <legend>{legend}</legend>
      {children}
      {fault !== undefined && (
        <p id={id} class="fault">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

/** Focuses the first error: a field, a group's choice, or the message about the whole form. */
export function focusFirstFault(form: HTMLElement | null): void {
  const first = form?.querySelector<HTMLElement>(
    '[aria-invalid="true"], [data-faulty], .problem[role="alert"]',
  );
  const choice =
    first?.querySelector<HTMLElement>('input:checked') ?? first?.querySelector<HTMLElement>('input');
  (choice ?? first)?.focus();
}
