/** A confirmation dialog that describes the effect of an action. It looks dangerous, because most such actions end something. */
import type { ComponentChildren } from 'preact';
import type { Refusal } from './calls/call.ts';
import { DialogForm } from './dialog-form.tsx';

type ConfirmProps = {
  readonly title: string;
  /** The effect of the action. */
  readonly children: ComponentChildren;
  readonly submit: string;
  /** The action ends nothing. */
  readonly harmless?: boolean;
  /** Returns undefined after success; then `act` itself must call `close`. */
  readonly act: () => Promise<Refusal | undefined>;
  readonly close: () => void;
};

export function Confirm({ title, children, submit, harmless = false, act, close }: ConfirmProps) {
  return (
    <DialogForm
      title={title}
      submit={submit}
      kind={harmless ? undefined : 'danger'}
      send={async () => (await act())?.message ?? null}
      close={close}
      cautious
    >
      {children}
    </DialogForm>
  );
}
