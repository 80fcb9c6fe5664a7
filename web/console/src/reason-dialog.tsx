/** Asks for a reason before an action that affects others. The audit log has the reason with the person's name. */
import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Reply } from '../../ui/calls/call.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { InputField } from '../../ui/field.tsx';
import { textOf } from '../../ui/form.tsx';
import { oldestShown, sessionKey } from './session.ts';

type ReasonDialogProps = {
  readonly title: string;
  /** The effect of the action. */
  readonly children: ComponentChildren;
  readonly submit: string;
  /** The action ends or destroys something, so its button is red. */
  readonly ends?: boolean;
  /** Who reads the reason. */
  readonly hint?: string;
  /** `seenAt`: sent with the call, which warns about later decisions of others; undefined after that warning. */
  readonly act: (o: {
    readonly reason: string;
    readonly values: FormData;
    readonly seenAt: number | undefined;
  }) => Promise<Reply<unknown>>;
  /** `done`: whether the action was done. */
  readonly close: (done: boolean) => void;
};

const forStaff = 'Stored in the audit log with your name. Do not write personal data.';

export function ReasonDialog(o: ReasonDialogProps) {
  const { title, children, submit, ends = false, hint = forStaff, act, close } = o;
  const queries = useQueryClient();
  // The time when the dialog was opened: the page behind it may be reloaded meanwhile.
  const [seenAt, setSeenAt] = useState<number | undefined>(() => oldestShown(queries));
  const readAgain = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  const send = async (values: FormData) => {
    const reply = await act({ reason: textOf(values, 'reason'), values, seenAt });
    if (!reply.ok) {
      // Another person has decided meanwhile, and the person has seen this warning: the next click confirms.
      if (reply.status === 409) setSeenAt(undefined);
      void readAgain();
      return reply.message;
    }
    // The action may have changed everything that is shown.
    await readAgain();
    close(true);
    return null;
  };
  return (
    <DialogForm
      title={title}
      submit={submit}
      kind={ends ? 'danger' : undefined}
      send={send}
      close={() => close(false)}
    >
      {children}
      <InputField label="Reason" hint={hint} name="reason" maxLength={500} autocomplete="off" required />
    </DialogForm>
  );
}
