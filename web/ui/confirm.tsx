/** A confirmation dialog that describes the effect of an action. */
import type { ComponentChildren } from 'preact';
import type { Refusal } from './calls/call.ts';
import { DialogForm } from './dialog-form.tsx';

type ConfirmProps = {
  readonly title: string;
  /** The effect of the action. */
  readonly children: ComponentChildren;
  readonly submit: string;
  /** Returns undefined after success; then `act` itself must call `close`. */
  readonly act: () => Promise<Refusal | undefined>;
  readonly close: () => void;
};

export function Confirm({ title, children, submit, act, close }: ConfirmProps) {
  return (
    <DialogForm
      title={title}
      submit={submit}
      send={async () => (await act())?.message ?? null}
      close={close}
      cautious
    >
      {children}
    </DialogForm>
  );
}
