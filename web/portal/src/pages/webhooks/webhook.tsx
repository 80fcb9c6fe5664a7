/** One webhook: what it gets, its messages, and what can be done with it. */
import type {
  ResendReply,
  WebhookMessage,
  WebhookReply,
  WebhookWithSecret,
} from '@offer-ads/contracts/public/webhooks-api';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { BusyButton } from '../../../../ui/busy-button.tsx';
import type { Reply } from '../../../../ui/calls/call.ts';
import { Confirm } from '../../../../ui/confirm.tsx';
import { DialogForm } from '../../../../ui/dialog-form.tsx';
import { InputField } from '../../../../ui/field.tsx';
import { textOf } from '../../../../ui/form.tsx';
import { useOutcome } from '../../../../ui/outcome.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { When } from '../../../../ui/when.tsx';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal, useRead } from '../../session.ts';
import { Messages } from './messages.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { WebhookStanding } from './webhook-standing.tsx';
import { useWebhooksChanged, webhooksKey } from './webhooks-data.ts';

const stateAgainMs = 5_000;

type Open =
  | { readonly step: 'change' | 'roll' | 'disable' | 'delete' | 'resend' }
  | { readonly step: 'rolled'; readonly secret: string };

export function Webhook() {
  const { mode, scope } = usePortal();
  const { params } = useRoute();
  const id = params['id'] ?? '';
  const path = `/${mode}/webhooks/${encodeURIComponent(id)}`;
  // Its state follows from its messages.
  const webhook = useRead<WebhookReply>([...webhooksKey(scope), id], path, { refetchInterval: stateAgainMs });
  return (
    <PortalPage title="Webhook" lead={webhook.data?.description ?? ''}>
      <Loaded query={webhook} what="the webhook" lines={6}>
        {(data) => <OneWebhook webhook={data} />}
      </Loaded>
    </PortalPage>
  );
}

function OneWebhook({ webhook }: { readonly webhook: WebhookReply }) {
  const { api, at, mode } = usePortal();
  const { route } = useLocation();
  const changed = useWebhooksChanged();
  const [open, setOpen] = useState<Open | null>(null);
  const { outcome, report } = useOutcome();
  const close = () => setOpen(null);
  const path = `/${mode}/webhooks/${webhook.webhook_id}`;
  const isEnabled = webhook.status === 'enabled';

  /** Sends, reads everything again, and reports the outcome on the page. */
  const act = async <Body,>(asked: Promise<Reply<Body>>, text: (body: Body) => string) => {
    const reply = await asked;
    await changed();
    report(reply.ok, reply.ok ? text(reply.body) : reply.message);
  };
  /** The same from a dialog, which shows a refusal itself. */
  const confirm = async <Body,>(asked: Promise<Reply<Body>>, after: (body: Body) => void) => {
    const reply = await asked;
    void changed();
    if (!reply.ok) return reply;
    after(reply.body);
    return undefined;
  };
  const resend = async (values: FormData) => {
    const since = new Date(textOf(values, 'since'));
    if (Number.isNaN(since.getTime())) return 'since: Say since when.';
    const json = { since: since.toISOString(), include_delivered: values.has('delivered') };
    const reply = await api.send<ResendReply>('POST', `${path}/resend`, { json });
    void changed();
    if (!reply.ok) return reply.message;
    const { resent, next_since: next } = reply.body;
    report(
      true,
      `${resent} ${resent === 1 ? 'message is' : 'messages are'} sent again.${next === null ? '' : ' There are more: resend again in a while.'}`,
    );
    close();
    return null;
  };

  return (
    <>
      {outcome}
      <section class="card stack" aria-label="About the webhook">
        <dl class="facts">
          <dt>Address</dt>
          <dd class="address">{webhook.url}</dd>
          <dt>State</dt>
          <dd>
            <WebhookStanding of={webhook} />
            {webhook.failing_since_datetime !== null && (
              <div class="muted small">
                since <When at={webhook.failing_since_datetime} precision="second" />; after five days it is
                disabled
              </div>
            )}
          </dd>
          <dt>Events</dt>
          <dd>{webhook.event_types === null ? 'All' : webhook.event_types.join(', ')}</dd>
          <dt>Secret</dt>
          <dd>
            shown once, when it was made
            {webhook.previous_secret_expiry_datetime !== null && (
              <div class="muted small">
                the one before also signs until <When at={webhook.previous_secret_expiry_datetime} />
              </div>
            )}
          </dd>
          {webhook.public_key !== null && (
            <>
              <dt>Public key</dt>
              <dd>
                <code class="address">{webhook.public_key}</code>
              </dd>
            </>
          )}
          <dt>Created</dt>
          <dd>
            <When at={webhook.creation_datetime} />
          </dd>
          <dt>Id</dt>
          <dd>
            <code class="address">{webhook.webhook_id}</code>
          </dd>
        </dl>
        <div class="row">
          {isEnabled && (
            <>
              <BusyButton
                class="quiet"
                work={() =>
                  act(api.send<WebhookMessage>('POST', `${path}/test`), () => 'A test message is on its way.')
                }
              >
                Send a test message
              </BusyButton>
              <button type="button" class="quiet" onClick={() => setOpen({ step: 'resend' })}>
                Resend since …
              </button>
            </>
          )}
          <button type="button" class="quiet" onClick={() => setOpen({ step: 'change' })}>
            Change
          </button>
          <button type="button" class="quiet" onClick={() => setOpen({ step: 'roll' })}>
            Roll the secret
          </button>
          {isEnabled ? (
            <button type="button" class="danger" onClick={() => setOpen({ step: 'disable' })}>
              Disable
            </button>
          ) : (
            webhook.disabled_reason !== 'platform' && (
              <BusyButton
                work={() =>
                  act(
                    api.send<WebhookReply>('POST', `${path}/enable`),
                    () => 'The webhook is enabled. Messages that it missed are sent on request alone.',
                  )
                }
              >
                Enable
              </BusyButton>
            )
          )}
          <button type="button" class="danger" onClick={() => setOpen({ step: 'delete' })}>
            Delete
          </button>
        </div>
      </section>
      <Messages webhook={webhook} report={report} />
      {open?.step === 'change' && (
        <WebhookForm<WebhookReply>
          title="Change the webhook"
          submit="Save"
          before={webhook}
          send={(json) => api.send('PUT', path, { json })}
          done={() => {
            void changed();
            report(true, 'The webhook is changed. Its secret is the same.');
            close();
          }}
          close={close}
        />
      )}
      {open?.step === 'resend' && (
        <DialogForm title="Resend messages" submit="Resend" send={resend} close={close}>
          <InputField
            label="Since"
            hint="In your time zone."
            name="since"
            placesFaults
            type="datetime-local"
            required
          />
          <label class="choice">
            <input type="checkbox" name="delivered" />
            Also messages that were delivered
          </label>
        </DialogForm>
      )}
      {open?.step === 'roll' && (
        <Confirm
          title="Roll the secret?"
          submit="Roll the secret"
          harmless
          act={() =>
            confirm(api.send<WebhookWithSecret>('POST', `${path}/roll-secret`), ({ secret }) =>
              setOpen({ step: 'rolled', secret }),
            )
          }
          close={close}
        >
          <p>
            The new secret is shown once. For 24 hours messages are signed with both secrets, so that your
            server can change over.
          </p>
        </Confirm>
      )}
      {open?.step === 'rolled' && <WebhookSecret secret={open.secret} isRolled stored={close} />}
      {open?.step === 'disable' && (
        <Confirm
          title="Disable the webhook?"
          submit="Disable the webhook"
          act={() =>
            confirm(api.send<WebhookReply>('POST', `${path}/disable`), () => {
              report(true, 'The webhook is disabled.');
              close();
            })
          }
          close={close}
        >
          <p>
            Nothing is sent to it any more. What happens meanwhile is kept for 35 days, and you can resend it
            when the webhook is enabled again.
          </p>
        </Confirm>
      )}
      {open?.step === 'delete' && (
        <Confirm
          title="Delete the webhook?"
          submit="Delete the webhook"
          act={() => confirm(api.send('DELETE', path), () => route(at('webhooks')))}
          close={close}
        >
          <p>Nothing is sent to it any more, and its messages can no longer be seen.</p>
        </Confirm>
      )}
    </>
  );
}
