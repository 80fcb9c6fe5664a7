/** The door: who comes, who is refused, what is written down, who signs in. */
import type { Dashboard } from '../dashboard.ts';

const requests = 'http_request_duration_seconds_count{service="gateway", route!~"/livez|/readyz|/metrics"}';

export const gateway: Dashboard = {
  uid: 'offer-ads-gateway',
  title: 'Offer ads: gateway',
  description: 'Requests at the door, limits, the call log, sign-ins, and what the gateway stands on.',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests a second',
          description: 'By status. 429 is a limit, 499 a client that left, 503 a service that was away.',
          unit: 'reqps',
          stacked: true,
          queries: [[`sum by (status) (rate(${requests}[$__rate_interval]))`, '{{status}}']],
        },
        {
          title: 'Busiest routes',
          description: 'The ten with the most requests.',
          unit: 'reqps',
          queries: [
            [
              `topk(10, sum by (method, route) (rate(${requests}[$__rate_interval])))`,
              '{{method}} {{route}}',
            ],
          ],
        },
        {
          title: 'What it stands on',
          description: '1 while it answered at the scrape before.',
          unit: 'short',
          queries: [['min by (dependency) (dependency_up)', '{{dependency}}']],
        },
      ],
    },
    {
      title: 'Limits',
      panels: [
        {
          title: 'Refused by a limit',
          description: 'Requests each second, by limit.',
          unit: 'reqps',
          queries: [
            [
              'sum by (limit) (rate(rate_limit_requests_total{outcome="refused"}[$__rate_interval])) or vector(0)',
              '{{limit}}',
            ],
          ],
        },
        {
          title: 'Share that a limit refuses',
          description: 'Of the requests counted against it.',
          unit: 'percentunit',
          queries: [
            [
              'sum by (limit) (rate(rate_limit_requests_total{outcome="refused"}[$__rate_interval])) / sum by (limit) (rate(rate_limit_requests_total[$__rate_interval])) or vector(0)',
              '{{limit}}',
            ],
          ],
        },
        {
          title: 'Counted in memory',
          description:
            'Requests each second that each replica counts for itself because the shared store is away.',
          unit: 'reqps',
          queries: [['sum(rate(rate_limit_insured_total[$__rate_interval]))', 'requests']],
        },
      ],
    },
    {
      title: 'Call log',
      panels: [
        {
          title: 'Oldest call that waits',
          description: 'To be written. CallLogBacklog fires at five minutes.',
          unit: 's',
          redFrom: 300,
          queries: [['max by (instance) (call_log_oldest_call_age_seconds)', '{{instance}}']],
        },
        {
          title: 'Spool',
          description: 'On disk, while the store is away. 256 MB are full.',
          unit: 'bytes',
          redFrom: 256 * 1024 * 1024,
          queries: [['max by (instance) (call_log_spool_bytes)', '{{instance}}']],
        },
        {
          title: 'Calls',
          description: 'In memory, and lost in a quarter of an hour.',
          unit: 'short',
          queries: [
            ['sum(call_log_waiting_calls)', 'in memory'],
            ['sum(increase(call_log_lost_total[15m]))', 'lost'],
          ],
        },
      ],
    },
    {
      title: 'Sign-ins',
      panels: [
        {
          title: 'Sign-ins in an hour',
          description:
            'Links that were used, by whether a session was opened. Many refused are somebody who guesses.',
          unit: 'short',
          queries: [['sum by (outcome) (increase(sign_ins_total[1h]))', '{{outcome}}']],
        },
        {
          title: 'Requests for a link, in an hour',
          description: 'By what became of them. Many unknown addresses are somebody who tries addresses.',
          unit: 'short',
          queries: [['sum by (outcome) (increase(sign_in_requests_total[1h]))', '{{outcome}}']],
        },
      ],
    },
  ],
};
