/** Asks why before it does something that others will feel: the reason stands in the audit log under the person's name. */
import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import type { Reply } from '../../ui/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { sessionKey } from './session.ts';

type ReasonDialogProps = {
  readonly title: string;
  /** What it will do, and to whom. */
  readonly children: ComponentChildren;
  readonly submit: string;
  readonly act: (reason: string, values: FormData) => Promise<Reply<unknown>>;
  /** `done`: it was done. */
  readonly close: (done: boolean) => void;
};

export function ReasonDialog({ title, children, submit, act, close }: ReasonDialogProps) {
  const queries = useQueryClient();
  const send = async (values: FormData) => {
    const reply = await act(textOf(values, 'reason'), values);
    if (!reply.ok) return reply.message;
    // Whatever is shown may have changed by it.
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    close(true);
    return null;
  };
  return (
    <Dialog title={title} close={() => close(false)}>
      <Form
        send={send}
        submit={submit}
        actions={
          <button type="button" class="quiet" onClick={() => close(false)}>
            Cancel
          </button>
        }
      >
        {children}
        <Field label="Reason" hint="Kept in the audit log under your name. No personal data.">
          {(described) => <input {...described} name="reason" maxLength={500} autocomplete="off" required />}
        </Field>
      </Form>
    </Dialog>
  );
}
