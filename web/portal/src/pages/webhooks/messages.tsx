/** The messages of a webhook with their attempts, the latest first. */
import type { MessagesReply, WebhookMessage, WebhookReply } from '@offer-ads/contracts/public/webhooks-api';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../../ui/busy-button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Options, SelectField } from '../../../../ui/field.tsx';
import type { Report } from '../../../../ui/outcome.tsx';
import { Empty, Loaded, LoadMore } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { usePortal } from '../../session.ts';
import { useMessages, useWebhooksChanged } from './webhooks-data.ts';

const looks: Record<WebhookMessage['status'], string> = {
  pending: 'warning',
  delivered: 'good',
  failed: 'problem',
  missed: 'muted',
};
const titles: Record<WebhookMessage['status'], string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
  missed: 'Missed',
};

type MessagesProps = {
  readonly webhook: WebhookReply;
  readonly report: Report;
};

export function Messages({ webhook, report }: MessagesProps) {
  const { api, mode } = usePortal();
  const changed = useWebhooksChanged();
  const [status, setStatus] = useState('');
  const [lookedAt, setLookedAt] = useState<WebhookMessage | null>(null);
  const messages = useMessages(webhook.webhook_id, status);
  const listed = messages.data?.pages.flatMap((page: MessagesReply) => page.data) ?? [];
  const isEnabled = webhook.status === 'enabled';

  const resend = async ({ message_id }: WebhookMessage) => {
    const path = `/${mode}/webhooks/${webhook.webhook_id}/messages/${message_id}/resend`;
    const reply = await api.send('POST', path);
    await changed();
    report(reply.ok, reply.ok ? 'The message is sent again.' : reply.message);
  };

  return (
    <section class="card stack" aria-labelledby="webhook-messages">
      <div class="row spread">
        <h2 id="webhook-messages">Messages</h2>
        <SelectField label="Show" value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
          <option value="">All</option>
          <Options of={Object.entries(titles)} />
        </SelectField>
      </div>
      <Loaded query={messages} what="messages" lines={5}>
        {() =>
          listed.length === 0 && (
            <Empty title={status === '' ? 'No messages yet' : 'No such messages'}>
              <p class="muted">Messages are kept for 35 days. Send a test message to try it out.</p>
            </Empty>
          )
        }
      </Loaded>
      {listed.length > 0 && (
        <Table
          rows={listed}
          keyOf={({ message_id }) => message_id}
          columns={[
            { title: 'Time', cell: (message) => <When at={message.creation_datetime} precision="second" /> },
            { title: 'Event', cell: (message) => <code>{message.event_type}</code> },
            { title: 'State', cell: (message) => <Standing of={message} /> },
            {
              title: 'Answer',
              cell: (message) => (
                <button
                  type="button"
                  class="link"
                  aria-label={`${attemptsText(message)}: attempts of ${message.event_type}`}
                  onClick={() => setLookedAt(message)}
                >
                  {attemptsText(message)}
                </button>
              ),
            },
            {
              title: 'Actions',
              kind: 'actions',
              cell: (message) =>
                isEnabled && (
                  <div class="row actions">
                    <BusyButton
                      class="quiet"
                      aria-label={`Resend ${message.event_type} ${message.message_id}`}
                      work={() => resend(message)}
                    >
                      Resend
                    </BusyButton>
                  </div>
                ),
            },
          ]}
        />
      )}
      <LoadMore of={messages} />
      {lookedAt !== null && <Attempts of={lookedAt} close={() => setLookedAt(null)} />}
    </section>
  );
}

function Standing({ of: { status, next_attempt_datetime: next } }: { readonly of: WebhookMessage }) {
  return (
    <>
      <span class={`badge ${looks[status]}`}>{titles[status]}</span>
      {next !== null && (
        <div class="muted small">
          next attempt <When at={next} precision="second" />
        </div>
      )}
    </>
  );
}

type AttemptsProps = { readonly of: WebhookMessage; readonly close: () => void };

/** What was sent, and what the server answered each time. */
function Attempts({ of: { attempts, body, event_type, message_id }, close }: AttemptsProps) {
  return (
    <Dialog title={event_type} close={close}>
      {attempts.length === 0 && <p>It was not sent yet.</p>}
      {attempts.toReversed().map((attempt) => (
        <div key={attempt.attempt_datetime} class="stack">
          <p>
            <When at={attempt.attempt_datetime} precision="second" />: <strong>{resultOf(attempt)}</strong>,{' '}
            {attempt.duration_ms} ms
          </p>
          {attempt.answer !== null && attempt.answer !== '' && (
            <code class="whole small">{attempt.answer}</code>
          )}
        </div>
      ))}
      <div class="stack">
        <p class="muted">
          Sent with the id <code class="address">{message_id}</code>:
        </p>
        <code class="whole small">{JSON.stringify(body)}</code>
      </div>
      <div class="row">
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function attemptsText({ attempts }: WebhookMessage): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'not sent yet';
  return attempts.length === 1 ? resultOf(last) : `${resultOf(last)} after ${attempts.length} attempts`;
}

function resultOf({ http_status: status, problem }: WebhookMessage['attempts'][number]): string {
  return status === null ? (problem ?? 'no answer') : `${status}`;
}
