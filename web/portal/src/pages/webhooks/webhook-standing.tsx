/** Whether a webhook gets messages, and why not. */
import type { WebhookReply } from '@offer-ads/contracts/public/webhooks-api';

const reasons = {
  requested: 'Disabled',
  failing: 'Disabled: it failed for five days',
  gone: 'Disabled: it answered 410',
  platform: 'Disabled by the platform team',
} as const;

export function WebhookStanding({ of: webhook }: { readonly of: WebhookReply }) {
  if (webhook.disabled_reason !== null)
    return (
      <span class={`badge ${webhook.disabled_reason === 'requested' ? 'muted' : 'problem'}`}>
        {reasons[webhook.disabled_reason]}
      </span>
    );
  if (webhook.failing_since_datetime !== null) return <span class="badge warning">Failing</span>;
  return <span class="badge good">Enabled</span>;
}
