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
          description: 'Each second, by verdict.',
          unit: 'cps',
          stacked: true,
          queries: [
            ['sum by (verdict) (rate(moderation_verdict_seconds_count[$__rate_interval]))', '{{verdict}}'],
          ],
        },
        {
          title: 'Time to a verdict',
          description:
            'Waiting included. Advertisers wait for ten seconds; ModerationSlow fires when one in twenty takes five.',
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
          description: 'For a place, in each replica.',
          unit: 'short',
          queries: [['max by (instance) (moderation_pictures_waiting)', '{{instance}}']],
        },
        {
          title: 'Calls to a hosted model',
          description: 'Each second, by outcome; none where the model runs here.',
          unit: 'cps',
          queries: [
            [
              'sum by (outcome) (rate(moderation_hosted_call_seconds_count[$__rate_interval])) or vector(0)',
              '{{outcome}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'Mail',
      panels: [
        {
          title: 'Mail server not reachable',
          description:
            'Replicas that have paused because it takes no mails; all of them is MailServerUnreachable.',
          unit: 'short',
          as: 'numbers',
          redFrom: 1,
          queries: [['sum(notifier_mail_server_unavailable)', 'replicas']],
        },
        {
          title: 'Oldest mail that is due',
          description: 'Ready to be sent, and sent by nobody. MailsUnsent fires at a quarter of an hour.',
          unit: 's',
          as: 'numbers',
          redFrom: 900,
          queries: [['max(notifier_oldest_due_age_seconds)', 'due']],
        },
        {
          title: 'Oldest mail that is not sent',
          description:
            'With those that wait for their next try, which may be days with a mailbox that is full.',
          unit: 's',
          as: 'numbers',
          queries: [['max(notifier_oldest_unsent_seconds)', 'oldest']],
        },
        {
          title: 'Not sent yet',
          description: 'Pending, or waiting for somebody to be known to whom they could go.',
          unit: 'short',
          as: 'numbers',
          queries: [['max by (state) (notifier_unsent_notifications)', '{{state}}']],
        },
        {
          title: 'Attempts',
          description: 'In five minutes, by what they led to.',
          unit: 'short',
          stacked: true,
          queries: [['sum by (state) (increase(notifier_delivery_attempts_total[5m]))', '{{state}}']],
        },
        {
          title: 'Mails sent',
          description: 'In an hour, by the event that they tell of.',
          unit: 'short',
          queries: [
            ['sum by (event) (increase(notifier_delivery_attempts_total{state="sent"}[1h]))', '{{event}}'],
          ],
        },
        {
          title: 'Links that expired unsent',
          description: 'In an hour: somebody waited for them in vain.',
          unit: 'short',
          redFrom: 1,
          queries: [['sum(increase(notifier_notifications_expired_total[1h]))', 'links']],
        },
      ],
    },
  ],
};
