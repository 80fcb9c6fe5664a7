/** Events on their way: written, published, waiting, handled, parked; and the work that repeats by itself. */
import type { Dashboard } from '../dashboard.ts';

export const messages: Dashboard = {
  uid: 'offer-ads-messages',
  title: 'Offer ads: messages and loops',
  description: 'Outboxes, queues, parked messages, the broker, and repeated work.',
  rows: [
    {
      title: 'Outboxes',
      panels: [
        {
          title: 'Age of the oldest event',
          description: 'Events are published within milliseconds; OutboxStuck fires at five minutes.',
          unit: 's',
          redFrom: 300,
          queries: [['max by (service) (outbox_oldest_event_age_seconds)', '{{service}}']],
        },
        {
          title: 'Events that wait',
          description: 'Events in the outbox of each service. 10,000 means that many or more.',
          unit: 'short',
          queries: [['max by (service) (outbox_events)', '{{service}}']],
        },
        {
          title: 'Published',
          description: 'Events a second that the broker confirmed.',
          unit: 'cps',
          queries: [['sum by (service) (rate(outbox_published_total[$__rate_interval]))', '{{service}}']],
        },
      ],
    },
    {
      title: 'Queues',
      panels: [
        {
          title: 'Messages that wait',
          description:
            'Messages in the queues of each service, without those that are being handled. Bulk: members, views and clicks.',
          unit: 'short',
          queries: [
            ['max by (service, queue) (queue_messages{queue=~"main|bulk"})', '{{service}} {{queue}}'],
          ],
        },
        {
          title: 'Age of the oldest message being handled',
          description: 'It was first in the queue. QueueBacklog fires at 15 minutes.',
          unit: 's',
          redFrom: 900,
          queries: [['max by (service, queue) (events_in_hand_oldest_age_seconds)', '{{service}} {{queue}}']],
        },
        {
          title: 'Parked messages',
          description: 'Messages that wait for a person: npm run admin -- events parked.',
          unit: 'short',
          as: 'numbers',
          redFrom: 1,
          queries: [['max by (service) (queue_messages{queue="parked"})', '{{service}}']],
        },
        {
          title: 'Messages for a later try',
          description:
            'Messages that failed and wait for their next attempt, in one of four increasing delays.',
          unit: 'short',
          queries: [['max by (service) (queue_messages{queue="retry"})', '{{service}}']],
        },
        {
          title: 'Messages being handled',
          description: 'Messages that were delivered and not acknowledged yet, in all replicas.',
          unit: 'short',
          queries: [['sum by (service) (events_in_hand)', '{{service}}']],
        },
        {
          title: 'Broker connected',
          description:
            'Replicas without a connection to RabbitMQ. BrokerDisconnected fires after two minutes.',
          unit: 'short',
          as: 'numbers',
          redFrom: 1,
          queries: [
            [
              'count by (service) (broker_connected == 0) or sum by (service) (broker_connected) * 0',
              '{{service}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'Handling',
      panels: [
        {
          title: 'Handled',
          description: 'Events a second, by type.',
          unit: 'cps',
          queries: [
            [
              'sum by (service, type) (rate(events_handled_seconds_count{outcome="handled"}[$__rate_interval]))',
              '{{service}} {{type}}',
            ],
          ],
        },
        {
          title: 'Not handled',
          description: 'Events a second that are tried again or were parked, by type.',
          unit: 'cps',
          queries: [
            [
              'sum by (service, type, outcome) (rate(events_handled_seconds_count{outcome!="handled"}[$__rate_interval])) or vector(0)',
              '{{service}} {{type}} {{outcome}}',
            ],
          ],
        },
        {
          title: 'Time to handle, p99',
          description: '99th percentile of an event, or of its batch.',
          unit: 's',
          queries: [
            [
              'histogram_quantile(0.99, sum by (service, type, le) (rate(events_handled_seconds_bucket[$__rate_interval])))',
              '{{service}} {{type}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'Repeated work',
      panels: [
        {
          title: 'Time since the last success',
          description:
            'The ten loops with the longest time since a success. LoopFailing fires after ten minutes or three rounds.',
          unit: 's',
          queries: [
            [
              'topk(10, time() - max by (service, loop) (loop_last_success_timestamp_seconds))',
              '{{service}} {{loop}}',
            ],
          ],
        },
        {
          title: 'Runs that failed',
          description: 'Failed runs in five minutes.',
          unit: 'short',
          queries: [
            [
              'sum by (service, loop) (increase(loop_runs_total{outcome="failed"}[5m])) > 0 or vector(0)',
              '{{service}} {{loop}}',
            ],
          ],
        },
      ],
    },
  ],
};
