/** A confirmation dialog that describes the effect of an action. */
import type { ComponentChildren } from 'preact';
import type { Refusal } from './calls/call.ts';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';

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
    <Dialog title={title} close={close}>
      <Form
        send={async () => (await act())?.message ?? null}
        submit={submit}
        actions={
          // The focus starts on "Cancel", so that a key that is held or pressed twice does not confirm.
          <button type="button" class="quiet" autofocus onClick={close}>
            Cancel
          </button>
        }
      >
        {children}
      </Form>
    </Dialog>
  );
}
