/** A dialog with a form and a button to cancel. */
import type { ComponentProps } from 'preact';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';

type DialogFormProps = Pick<ComponentProps<typeof Form>, 'send' | 'submit' | 'kind' | 'children'> & {
  readonly title: string;
  readonly close: () => void;
  /** The focus starts on "Cancel", so that a key that is held or pressed twice does not confirm. */
  readonly cautious?: boolean;
};

export function DialogForm({ title, close, cautious = false, ...form }: DialogFormProps) {
  return (
    <Dialog title={title} close={close}>
      <Form
        {...form}
        actions={
          <button type="button" class="quiet" autofocus={cautious} onClick={close}>
            Cancel
          </button>
        }
      />
    </Dialog>
  );
}
