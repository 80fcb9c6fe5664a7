/** First to be looked at: is it up, is it right, is it fast, does it earn. */
import type { Dashboard } from '../dashboard.ts';

const requests = 'http_request_duration_seconds';
/** Probes and scrapes are no requests. */
const asked = 'route!~"/livez|/readyz|/metrics"';

export const overview: Dashboard = {
  uid: 'offer-ads-overview',
  title: 'Offer ads: overview',
  description: 'The golden signals of each service, the alerts, and business figures.',
  byMode: true,
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Firing alerts',
          description: 'Each alert has a page in docs/runbooks. Normally there is none.',
          unit: 'short',
          as: 'numbers',
          redFrom: 1,
          queries: [['sum by (severity) (ALERTS{alertstate="firing"}) or vector(0)', '{{severity}}']],
        },
        {
          title: 'Replicas that answer',
          description: 'The number of replicas of each service that answer the scrape.',
          unit: 'short',
          as: 'numbers',
          queries: [
            ['sum by (job) (up{job=~"gateway|offers|billing|pricing|moderation|notifier"})', '{{job}}'],
          ],
        },
        {
          title: 'Requests that failed, last hour',
          description:
            'The share of requests answered with 5xx. The goal is below 0.1 %; RequestErrorsHigh fires above 1.44 % in an hour, or above less for longer.',
          unit: 'percentunit',
          as: 'numbers',
          redFrom: 0.0144,
          queries: [['service:http_request_failures:ratio_rate1h', '{{service}}']],
        },
        {
          title: 'Offers live',
          description: 'Offers that members can see now.',
          unit: 'short',
          as: 'numbers',
          queries: [['max by (mode) (offers_live)', '{{mode}}']],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests a second',
          description: 'Traffic of each service, without probes and scrapes.',
          unit: 'reqps',
          queries: [
            [`sum by (service) (rate(${requests}_count{${asked}}[$__rate_interval]))`, '{{service}}'],
          ],
        },
        {
          title: 'Requests that fail',
          description:
            'The share of requests answered with 5xx over five minutes: callers did not get what they asked for.',
          unit: 'percentunit',
          redFrom: 0.0144,
          queries: [['service:http_request_failures:ratio_rate5m', '{{service}}']],
        },
        {
          title: 'Time to answer, p99',
          description: '99th percentile. The deadline of a request is 2 s, that of a creation 25 s.',
          unit: 's',
          queries: [
            [
              `histogram_quantile(0.99, sum by (service, le) (rate(${requests}_bucket{${asked}}[$__rate_interval])))`,
              '{{service}}',
            ],
          ],
        },
        {
          title: 'Time to answer, median',
          description: 'Half of the requests are faster.',
          unit: 's',
          queries: [
            [
              `histogram_quantile(0.5, sum by (service, le) (rate(${requests}_bucket{${asked}}[$__rate_interval])))`,
              '{{service}}',
            ],
          ],
        },
        {
          title: 'Slowest routes',
          description: 'The ten routes with the highest 99th percentile.',
          unit: 's',
          queries: [
            [
              `topk(10, histogram_quantile(0.99, sum by (service, method, route, le) (rate(${requests}_bucket{${asked}}[$__rate_interval]))))`,
              '{{service}} {{method}} {{route}}',
            ],
          ],
        },
        {
          title: 'Calls between services, p99',
          description: '99th percentile as the caller sees it, by the called service.',
          unit: 's',
          queries: [
            [
              'histogram_quantile(0.99, sum by (service, target, le) (rate(service_call_duration_seconds_bucket[$__rate_interval])))',
              '{{service}} to {{target}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'Saturation',
      panels: [
        {
          title: 'Processor',
          description: 'Processors in use by all replicas together. Above 1.5 for each pod, add pods.',
          unit: 'short',
          queries: [['sum by (service) (rate(process_cpu_seconds_total[$__rate_interval]))', '{{service}}']],
        },
        {
          title: 'Memory',
          description: 'Memory of the largest replica.',
          unit: 'bytes',
          queries: [['max by (service) (process_resident_memory_bytes)', '{{service}}']],
        },
        {
          title: 'Event loop lag',
          description:
            '99th percentile: how long one piece of work blocked the process, and 50 ms, after which the process looks again. Tens of milliseconds more are much.',
          unit: 's',
          queries: [['max by (service) (nodejs_eventloop_lag_p99_seconds)', '{{service}}']],
        },
        {
          title: 'Requests waiting for a database connection',
          description: 'DatabasePoolExhausted fires when the average is above one.',
          unit: 'short',
          redFrom: 1,
          queries: [['max by (service, pool) (postgres_pool_waiting)', '{{service}} {{pool}}']],
        },
        {
          title: 'Database connections in use',
          description: 'The share of the pool that the busiest replica uses.',
          unit: 'percentunit',
          queries: [
            ['max by (service, pool) (postgres_pool_busy / postgres_pool_size)', '{{service}} {{pool}}'],
          ],
        },
        {
          title: 'Room for offers in memory',
          description:
            'The share of the room for LIVE offers that the fullest replica uses. Members are not shown the offers beyond it. PlacementsRoomShort fires above nine tenths.',
          unit: 'percentunit',
          redFrom: 0.9,
          queries: [
            ['max(placement_offers{mode="LIVE"} / placement_offers_room{mode="LIVE"})', 'LIVE offers'],
          ],
        },
        {
          title: 'Circuit breakers open',
          description:
            'An open breaker refuses calls at once, because half of the calls to the target failed.',
          unit: 'short',
          redFrom: 1,
          queries: [['max by (service, target) (circuit_breaker_open)', '{{service}} to {{target}}']],
        },
      ],
    },
    {
      title: 'Business ($mode)',
      panels: [
        {
          title: 'Money taken in an hour',
          description:
            'In minor units of each currency (pence, cents): card payments with VAT, and offers paid from balances.',
          unit: 'short',
          stacked: true,
          queries: [
            [
              'sum by (currency, method) (increase(money_charged_minor_units_total{mode="$mode"}[1h])) > 0',
              '{{currency}} by {{method}}',
            ],
          ],
        },
        {
          title: 'Offers in an hour',
          description: 'Created and paid, by payment method: E is by card, B from the balance.',
          unit: 'short',
          queries: [
            ['sum by (method) (increase(offers_created_total{mode="$mode"}[1h]))', 'created, {{method}}'],
            ['sum by (method) (increase(offers_paid_total{mode="$mode"}[1h]))', 'paid, {{method}}'],
          ],
        },
        {
          title: 'Views and clicks',
          description: 'Views and clicks a second that the community platform reported, both modes together.',
          unit: 'cps',
          queries: [
            ['sum by (kind) (rate(traffic_events_total{outcome="taken"}[$__rate_interval]))', '{{kind}}'],
          ],
        },
      ],
    },
  ],
};
