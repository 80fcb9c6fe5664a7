/** Webhooks: the addresses that hear of events, and creating one. */

import type {
  WebhookReply,
  WebhooksReply,
  WebhookWithSecret,
} from '@offer-ads/contracts/public/webhooks-api';
import { webhookLimits } from '@offer-ads/contracts/values/webhook-limits';
import { Webhook as WebhookIcon } from 'lucide';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Empty, Loaded } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal, useRead } from '../../session.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { WebhookStanding } from './webhook-standing.tsx';
import { useWebhooksChanged, webhooksKey } from './webhooks-data.ts';

type Open = { readonly step: 'create' } | { readonly step: 'made'; readonly made: WebhookWithSecret };

export function Webhooks() {
  const { api, at, mode, scope } = usePortal();
  const { route } = useLocation();
  const changed = useWebhooksChanged();
  const webhooks = useRead<WebhooksReply>(webhooksKey(scope), `/${mode}/webhooks`);
  /** Only this state holds the secret; closing the dialog deletes it. */
  const [open, setOpen] = useState<Open | null>(null);
  const isFull = (webhooks.data?.webhooks.length ?? 0) >= webhookLimits.endpoints;

  return (
    <PortalPage
      title="Webhooks"
      lead={`We send ${mode.toUpperCase()} events to addresses of yours as they happen.`}
      actions={
        !isFull && (
          <button type="button" onClick={() => setOpen({ step: 'create' })}>
            Create a webhook
          </button>
        )
      }
    >
      <Loaded query={webhooks} what="webhooks" lines={4}>
        {({ webhooks: listed }) =>
          listed.length === 0 ? (
            <Empty title={`No ${mode.toUpperCase()} webhook yet`} icon={WebhookIcon}>
              <p class="muted">
                Create one, and your server hears when an offer is paid or ends, or when the balance is low.{' '}
                <a href="/docs/webhooks">The guide</a> shows how to receive it.
              </p>
            </Empty>
          ) : (
            <div class="card">
              <Table
                rows={listed}
                keyOf={({ webhook_id }) => webhook_id}
                columns={[
                  { title: 'Address', kind: 'name', cell: (webhook) => <Address of={webhook} /> },
                  { title: 'State', cell: (webhook) => <WebhookStanding of={webhook} /> },
                  { title: 'Events', cell: ({ event_types }) => typesText(event_types) },
                  {
                    title: 'Created',
                    cell: ({ creation_datetime }) => <When at={creation_datetime} precision="day" />,
                  },
                ]}
              />
            </div>
          )
        }
      </Loaded>
      {isFull && (
        <p class="muted">
          An organisation has at most {webhookLimits.endpoints} webhooks in a mode. Delete one to create
          another.
        </p>
      )}
      {open?.step === 'create' && (
        <WebhookForm<WebhookWithSecret>
          title={`Create a ${mode.toUpperCase()} webhook`}
          submit="Create the webhook"
          send={(json) => api.send('POST', `/${mode}/webhooks`, { json })}
          done={(made) => {
            void changed();
            setOpen({ step: 'made', made });
          }}
          close={() => setOpen(null)}
        />
      )}
      {open?.step === 'made' && (
        <WebhookSecret
          secret={open.made.secret}
          isRolled={false}
          stored={() => {
            setOpen(null);
            route(at(`webhooks/${open.made.webhook_id}`));
          }}
        />
      )}
    </PortalPage>
  );
}

function Address({ of: { webhook_id, url, description } }: { readonly of: WebhookReply }) {
  const { at } = usePortal();
  return (
    <>
      <a class="address" href={at(`webhooks/${webhook_id}`)}>
        {url}
      </a>
      {description !== null && <div class="muted small">{description}</div>}
    </>
  );
}

function typesText(types: WebhookReply['event_types']): string {
  if (types === null) return 'All';
  return types.length <= 2 ? types.join(', ') : `${types.length} types`;
}
