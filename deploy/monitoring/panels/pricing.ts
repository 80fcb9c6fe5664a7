/** Estimates, the index of the audience that they count with, and the rates that they are made in. */
import type { Dashboard } from '../dashboard.ts';

const estimates = 'service="pricing", route="/offers/price-estimate"';

export const pricing: Dashboard = {
  uid: 'offer-ads-pricing',
  title: 'Offer ads: pricing',
  description: 'Estimates, the audience index, members and exchange rates.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Missing fixings',
          description: 'In working days of the central bank. From two on only pounds are sold: RatesStale.',
          unit: 'short',
          as: 'numbers',
          redFrom: 2,
          queries: [['max(pricing_rates_missing_fixings)', 'fixings']],
        },
        {
          title: 'Age of the index',
          description:
            'Of the replica that lags most: it counts the members of so long ago. Up to 20 s is usual.',
          unit: 's',
          as: 'numbers',
          redFrom: 120,
          queries: [['max(audience_index_age_seconds)', 'age']],
        },
        {
          title: 'Members counted',
          description: 'Active and not banned, in the index.',
          unit: 'short',
          as: 'numbers',
          queries: [['max(audience_index_members)', 'members']],
        },
        {
          title: 'Memory of the index',
          description: 'Of the largest replica.',
          unit: 'bytes',
          as: 'numbers',
          queries: [['max(audience_index_bytes)', 'index']],
        },
      ],
    },
    {
      title: 'Estimates',
      panels: [
        {
          title: 'Estimates a second',
          description: 'By status: 200 for an estimate, 400 for a form that is refused.',
          unit: 'reqps',
          queries: [
            [
              `sum by (status) (rate(http_request_duration_seconds_count{${estimates}}[$__rate_interval]))`,
              '{{status}}',
            ],
          ],
        },
        {
          title: 'Time of an estimate',
          description: 'In pricing alone, body and reply included.',
          unit: 's',
          queries: [
            [
              `histogram_quantile(0.5, sum by (le) (rate(http_request_duration_seconds_bucket{${estimates}}[$__rate_interval])))`,
              'median',
            ],
            [
              `histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket{${estimates}}[$__rate_interval])))`,
              'slowest of a hundred',
            ],
          ],
        },
      ],
    },
    {
      title: 'Members',
      panels: [
        {
          title: 'Age of the index, by replica',
          description: 'AudienceIndexLagging fires at two minutes.',
          unit: 's',
          redFrom: 120,
          queries: [['max by (instance) (audience_index_age_seconds)', '{{instance}}']],
        },
        {
          title: 'Changes',
          description: 'Heard of, stored, and followed into the index of one replica, each second.',
          unit: 'cps',
          queries: [
            ['sum by (outcome) (rate(member_changes_total[$__rate_interval]))', 'heard of, {{outcome}}'],
            ['max(rate(audience_changes_applied_total[$__rate_interval]))', 'in the index'],
          ],
        },
        {
          title: 'Members that do not count',
          description:
            'In an hour: left out because they do not fit, or unreadable in MongoDB; and waits for MongoDB.',
          unit: 'short',
          queries: [
            ['max(increase(audience_members_left_out_total[1h]))', 'left out'],
            ['max(increase(audience_unreadable_members_total[1h]))', 'unreadable'],
            ['max(events_wait_for_store{service="pricing"})', 'waits for MongoDB'],
          ],
        },
      ],
    },
    {
      title: 'Budgets of revealing estimates',
      panels: [
        {
          title: 'Budgets that were used up',
          description:
            'In an hour, by whose they are. Anything but 0 is EstimateBudgetUsedUp; the log names the caller.',
          unit: 'short',
          queries: [['sum by (of) (increase(estimate_budgets_used_up_total[1h]))', '{{of}}']],
        },
      ],
    },
    {
      title: 'Rates',
      panels: [
        {
          title: 'Answers of the feed that were refused',
          description:
            'In an hour, by reason. All but `unreachable` is RatesRefused; the last good rates stay in use.',
          unit: 'short',
          queries: [['sum by (reason) (increase(pricing_rates_refused_total[1h]))', '{{reason}}']],
        },
      ],
    },
  ],
};
