/** A group of choices with its fault, tied together for screen readers: they say it on entering the group. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type ChoicesProps = {
  readonly legend: string;
  /** Why what is chosen does not do; nothing while it does. */
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

/** Takes the keyboard to the first thing that is wrong: a field, the choice made in a group, or what is said of the whole. */
export function focusFirstFault(form: HTMLElement | null): void {
  const first = form?.querySelector<HTMLElement>(
    '[aria-invalid="true"], [data-faulty], .problem[role="alert"]',
  );
  const choice =
    first?.querySelector<HTMLElement>('input:checked') ?? first?.querySelector<HTMLElement>('input');
  (choice ?? first)?.focus();
}
