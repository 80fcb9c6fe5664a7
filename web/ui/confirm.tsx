/** Asks before something that others will feel: what it does, and a button that says it. */
import type { ComponentChildren } from 'preact';
import type { Refusal } from './call.ts';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';

type ConfirmProps = {
  readonly title: string;
  /** What will happen at once, and to whom. */
  readonly children: ComponentChildren;
  readonly submit: string;
  /** Nothing when it was done: `close` is up to it then. */
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
          // The keyboard begins here: a key that is held, or pressed twice, must not do it.
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
