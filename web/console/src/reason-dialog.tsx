/** Asks for a reason before an action that affects others. The audit log has the reason with the person's name. */
import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Reply } from '../../ui/calls/call.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { InputField } from '../../ui/field.tsx';
import { textOf } from '../../ui/form.tsx';
import { oldestShown, sessionKey, useConsole } from './session.ts';

/** Adds the reason to the body. The reply warns if another person has decided since the data was read. */
type SendWithReason = <Body>(path: string, body?: object, method?: 'POST' | 'PUT') => Promise<Reply<Body>>;

/** Null: nothing was done. */
export type CloseWithMessage = (message: string | null) => void;

type ReasonDialogProps<Body, Done> = {
  readonly title: string;
  /** The effect of the action. */
  readonly children: ComponentChildren;
  readonly submit: string;
  /** The action ends or destroys something, so its button is red. */
  readonly ends?: boolean;
  readonly advertiserReads?: boolean;
  /** Sends the action, or returns what is wrong with the form. */
  readonly act: (send: SendWithReason, values: FormData) => Promise<Reply<Body>> | string;
  /** What `close` gets after the action, mostly a message. */
  readonly done: (body: Body) => Done;
  /** Null: nothing was done. */
  readonly close: (done: Done | null) => void;
};

const forStaff = 'Stored in the audit log with your name. Do not write personal data.';
const forAdvertisers =
  'The advertiser reads it in a mail and in the portal: say what must change. The audit log has it with your name.';

export function ReasonDialog<Body, Done>(o: ReasonDialogProps<Body, Done>) {
  const { title, children, submit, ends = false, advertiserReads = false, act, done, close } = o;
  const { send } = useConsole();
  const queries = useQueryClient();
  // The time when the dialog was opened: the page behind it may be reloaded meanwhile.
  const [seenAt, setSeenAt] = useState<number | undefined>(() => oldestShown(queries));
  const readAgain = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  const perform = async (values: FormData) => {
    const reason = textOf(values, 'reason');
    const reply = await act((path, body, method) => send(path, { ...body, reason }, seenAt, method), values);
    if (typeof reply === 'string') return reply;
    if (!reply.ok) {
      // Another person has decided meanwhile, and the person has seen this warning: the next click confirms.
      if (reply.status === 409) setSeenAt(undefined);
      void readAgain();
      return reply.message;
    }
    // The action may have changed everything that is shown.
    await readAgain();
    close(done(reply.body));
    return null;
  };
  return (
    <DialogForm
      title={title}
      submit={submit}
      kind={ends ? 'danger' : undefined}
      send={perform}
      close={() => close(null)}
    >
      {children}
      <InputField
        label="Reason"
        hint={advertiserReads ? forAdvertisers : forStaff}
        name="reason"
        maxLength={500}
        autocomplete="off"
        required
      />
    </DialogForm>
  );
}
