/** What the signed-in person may do. The pages only show it: the console itself refuses a call without the role. */
import { isAllowed, refusalOf, type StaffCall } from '@offer-ads/contracts/admin/staff-calls';
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useConsole } from './session.ts';

/** `why`: what is missing; '' if the person may do it. */
export function useMay(call: StaffCall): { readonly allowed: boolean; readonly why: string } {
  const { roles } = useConsole();
  const allowed = isAllowed(roles, call);
  return { allowed, why: allowed ? '' : `${refusalOf(roles, call)}.` };
}

type ActionButtonProps = {
  /** The call that the action makes at its end. */
  readonly call: StaffCall;
  readonly onClick: () => void;
  readonly class?: string;
  /** For screen readers, where the text alone does not say about what. */
  readonly label?: string;
  readonly children: ComponentChildren;
};

/** The button of an action. Without the role it does nothing; a click or a screen reader says why. */
export function ActionButton({ call, onClick, class: look = '', label, children }: ActionButtonProps) {
  const { allowed, why } = useMay(call);
  const [explained, setExplained] = useState(false);
  const id = useId();
  if (allowed)
    return (
      <button type="button" class={look} aria-label={label} onClick={onClick}>
        {children}
      </button>
    );
  // Not `disabled`: such a button cannot be reached with the keyboard, so its reason could not be read.
  return (
    <span class="row">
      <button
        type="button"
        class={look}
        aria-label={label}
        aria-disabled
        aria-describedby={id}
        title={why}
        onClick={() => setExplained(true)}
      >
        {children}
      </button>
      <span id={id} class={explained ? 'small muted' : 'hidden'} role={explained ? 'status' : undefined}>
        {why}
      </span>
    </span>
  );
}
