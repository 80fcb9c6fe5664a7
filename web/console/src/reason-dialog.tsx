/** Asks why before it does something that others will feel: the reason stands in the audit log under the person's name. */
import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Reply } from '../../ui/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { oldestShown, sessionKey } from './session.ts';

type ReasonDialogProps = {
  readonly title: string;
  /** What it will do, and to whom. */
  readonly children: ComponentChildren;
  readonly submit: string;
  /** `seenAt`: for the call, which tells who has decided since; none once that was told. */
  readonly act: (o: {
    readonly reason: string;
    readonly values: FormData;
    readonly seenAt: number | undefined;
  }) => Promise<Reply<unknown>>;
  /** `done`: it was done. */
  readonly close: (done: boolean) => void;
};

export function ReasonDialog({ title, children, submit, act, close }: ReasonDialogProps) {
  const queries = useQueryClient();
  // Of when the question was asked: what is shown behind it may be read again meanwhile.
  const [seenAt, setSeenAt] = useState<number | undefined>(() => oldestShown(queries));
  const readAgain = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  const send = async (values: FormData) => {
    const reply = await act({ reason: textOf(values, 'reason'), values, seenAt });
    if (!reply.ok) {
      // Somebody else was faster, and now the person knows: whoever sends it once more means it.
      if (reply.status === 409) setSeenAt(undefined);
      void readAgain();
      return reply.message;
    }
    // Whatever is shown may have changed by it.
    await readAgain();
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
