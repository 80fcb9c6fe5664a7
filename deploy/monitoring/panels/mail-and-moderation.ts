/** Pictures that are judged and mails that are sent: what people wait for. */
import type { Dashboard } from '../dashboard.ts';

export const mailAndModeration: Dashboard = {
  uid: 'offer-ads-mail-and-moderation',
  title: 'Offer ads: moderation and mail',
  description: 'Verdicts on pictures, the model, and the delivery of mails.',
  rows: [
    {
      title: 'Moderation',
      panels: [
        {
          title: 'Verdicts',
          description: 'Verdicts a second, by verdict.',
          unit: 'cps',
          stacked: true,
          queries: [
            ['sum by (verdict) (rate(moderation_verdict_seconds_count[$__rate_interval]))', '{{verdict}}'],
          ],
        },
        {
          title: 'Time to a verdict',
          description:
            'With waiting time. Offers waits at most ten seconds; ModerationSlow fires when one in twenty takes five.',
          unit: 's',
          redFrom: 5,
          queries: [
            [
              'histogram_quantile(0.5, sum by (le) (rate(moderation_verdict_seconds_bucket[$__rate_interval])))',
              'median',
            ],
            [
              'histogram_quantile(0.95, sum by (le) (rate(moderation_verdict_seconds_bucket[$__rate_interval])))',
              'slowest of twenty',
            ],
          ],
        },
        {
          title: 'Pictures that wait',
          description: 'Pictures that wait in each replica until others are finished.',
          unit: 'short',
          queries: [['max by (instance) (moderation_pictures_waiting)', '{{instance}}']],
        },
      ],
    },
    {
      title: 'Mail',
      panels: [
        {
          title: 'Mail server not reachable',
          description:
            'Replicas that pause because the mail server accepts no mails. MailServerUnreachable fires when all of them do.',
          unit: 'short',
          as: 'numbers',
          redFrom: 1,
          queries: [['sum(notifier_mail_server_unavailable)', 'replicas']],
        },
        {
          title: 'Oldest mail that is due',
          description: 'The oldest mail that could be sent now. MailsUnsent fires at 15 minutes.',
          unit: 's',
          as: 'numbers',
          redFrom: 900,
          queries: [['max(notifier_oldest_due_age_seconds)', 'due']],
        },
        {
          title: 'Oldest mail that is not sent',
          description:
            'Includes mails that wait for their next attempt. That may take days, for example while a mailbox is full.',
          unit: 's',
          as: 'numbers',
          queries: [['max(notifier_oldest_unsent_seconds)', 'oldest']],
        },
        {
          title: 'Not sent yet',
          description: 'Mails that are pending, or that wait until a recipient is known.',
          unit: 'short',
          as: 'numbers',
          queries: [['max by (state) (notifier_unsent_notifications)', '{{state}}']],
        },
        {
          title: 'Attempts',
          description: 'Attempts to send in five minutes, by outcome.',
          unit: 'short',
          stacked: true,
          queries: [['sum by (state) (increase(notifier_delivery_attempts_total[5m]))', '{{state}}']],
        },
        {
          title: 'Mails sent',
          description: 'Mails in an hour, by the event that they report.',
          unit: 'short',
          queries: [
            ['sum by (event) (increase(notifier_delivery_attempts_total{state="sent"}[1h]))', '{{event}}'],
          ],
        },
        {
          title: 'Webhook that waits longest',
          description:
            'For how long an endpoint has had a webhook to be sent, without failing ones. WebhooksUnsent fires at 15 minutes.',
          unit: 's',
          as: 'numbers',
          redFrom: 900,
          queries: [['max(notifier_oldest_waiting_webhook_age_seconds)', 'waits']],
        },
        {
          title: 'Attempts of webhooks',
          description: 'Attempts in five minutes, by outcome: delivered (2xx), refused or unanswered.',
          unit: 'short',
          stacked: true,
          queries: [['sum by (outcome) (increase(notifier_webhook_attempts_total[5m]))', '{{outcome}}']],
        },
        {
          title: 'Webhooks that were disabled',
          description: 'Endpoints in an hour that failed for five days, or answered 410.',
          unit: 'short',
          queries: [
            ['sum by (because) (increase(notifier_webhook_endpoints_switched_off_total[1h]))', '{{because}}'],
          ],
        },
        {
          title: 'Links that expired unsent',
          description: 'Sign-in links in an hour that expired before they were sent.',
          unit: 'short',
          redFrom: 1,
          queries: [['sum(increase(notifier_notifications_expired_total[1h]))', 'links']],
        },
      ],
    },
  ],
};
