/** The form for a new webhook, and for another address or other types of one that exists. */
import type { WebhookReply, WebhookRequest } from '@offer-ads/contracts/public/webhooks-api';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import { useState } from 'preact/hooks';
import type { Reply } from '../../../../ui/calls/call.ts';
import { Choices } from '../../../../ui/choices.tsx';
import { DialogForm } from '../../../../ui/dialog-form.tsx';
import { InputField } from '../../../../ui/field.tsx';
import { textOf } from '../../../../ui/form.tsx';
import { eventNames, isEventType } from './event-names.ts';

type WebhookFormProps<Body> = {
  readonly title: string;
  readonly submit: string;
  readonly before?: WebhookReply;
  readonly send: (request: WebhookRequest) => Promise<Reply<Body>>;
  readonly done: (body: Body) => void;
  readonly close: () => void;
};

export function WebhookForm<Body>({ title, submit, before, send, done, close }: WebhookFormProps<Body>) {
  const [all, setAll] = useState((before?.event_types ?? null) === null);
  const save = async (values: FormData) => {
    const types = values.getAll('type').filter(isEventType);
    if (!all && types.length === 0) return 'Choose at least one event, or all events.';
    const reply = await send({
      url: textOf(values, 'url'),
      description: textOf(values, 'description') || null,
      event_types: all ? null : types,
      ed25519: values.has('ed25519'),
    });
    if (!reply.ok) return reply.message;
    done(reply.body);
    return null;
  };
  return (
    <DialogForm title={title} submit={submit} send={save} close={close}>
      <InputField
        label="Address"
        hint="https, on the public internet."
        name="url"
        placesFaults
        type="url"
        maxLength={webhookLimits.urlLength}
        placeholder="https://shop.example/hooks"
        defaultValue={before?.url ?? ''}
        autocomplete="off"
        required
      />
      <InputField
        label="Description (optional)"
        hint="For example the system that receives: web shop."
        name="description"
        placesFaults
        maxLength={webhookLimits.descriptionLength}
        defaultValue={before?.description ?? ''}
        autocomplete="off"
      />
      <Choices legend="Events">
        <label class="choice">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
          All events, also those that are added later
        </label>
        {!all &&
          Object.entries(eventNames).map(([type, name]) => (
            <label key={type} class="choice">
              <input
                type="checkbox"
                name="type"
                value={type}
                defaultChecked={before?.event_types?.some((chosen) => chosen === type) === true}
              />
              <span>
                {name} <code class="muted small">{type}</code>
              </span>
            </label>
          ))}
      </Choices>
      <label class="choice">
        <input type="checkbox" name="ed25519" defaultChecked={before?.ed25519 === true} />
        Sign by Ed25519 too (<code>v1a</code>): a receiver checks it with a public key
      </label>
    </DialogForm>
  );
}
