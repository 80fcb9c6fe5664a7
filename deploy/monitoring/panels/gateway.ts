/** The door: who comes, who is refused, what is written down, who signs in. */
import type { Dashboard } from '../dashboard.ts';

const requests = 'http_request_duration_seconds_count{service="gateway", route!~"/livez|/readyz|/metrics"}';

export const gateway: Dashboard = {
  uid: 'offer-ads-gateway',
  title: 'Offer ads: gateway',
  description:
    'Requests, rate limits, the call log, sign-ins, and the services and stores that the gateway needs.',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests a second',
          description:
            'By status. 429: over a limit. 499: the client closed the connection. 503: a service was down.',
          unit: 'reqps',
          stacked: true,
          queries: [[`sum by (status) (rate(${requests}[$__rate_interval]))`, '{{status}}']],
        },
        {
          title: 'Busiest routes',
          description: 'The ten routes with the most requests.',
          unit: 'reqps',
          queries: [
            [
              `topk(10, sum by (method, route) (rate(${requests}[$__rate_interval])))`,
              '{{method}} {{route}}',
            ],
          ],
        },
        {
          title: 'Services and stores',
          description: '1 if it answered at the last scrape.',
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
          description: 'Requests a second, by limit.',
          unit: 'reqps',
          queries: [
            [
              'sum by (limit) (rate(rate_limit_requests_total{outcome="refused"}[$__rate_interval])) or vector(0)',
              '{{limit}}',
            ],
          ],
        },
        {
          title: 'Share refused by a limit',
          description: 'The share of the requests that each limit counts.',
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
          description: 'Requests a second that each replica counts by itself because Valkey is down or slow.',
          unit: 'reqps',
          queries: [['sum(rate(rate_limit_counted_in_memory_total[$__rate_interval]))', 'requests']],
        },
      ],
    },
    {
      title: 'Call log',
      panels: [
        {
          title: 'Calls',
          description:
            'Calls that wait to be written, of 100,000 that have room at each replica, and calls lost in 15 minutes.',
          unit: 'short',
          queries: [
            ['sum(call_log_waiting_calls)', 'waiting'],
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
            'Links that were used, and whether a session began. Many refusals mean that somebody guesses.',
          unit: 'short',
          queries: [['sum by (outcome) (increase(sign_ins_total[1h]))', '{{outcome}}']],
        },
        {
          title: 'Requests for a link, in an hour',
          description: 'By outcome. Many unknown addresses mean that somebody tries addresses.',
          unit: 'short',
          queries: [['sum by (outcome) (increase(sign_in_requests_total[1h]))', '{{outcome}}']],
        },
      ],
    },
  ],
};
