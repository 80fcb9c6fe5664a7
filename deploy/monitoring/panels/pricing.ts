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
          description:
            'In working days of the central bank. From two on, offers can be billed only in pounds, and RatesStale fires.',
          unit: 'short',
          as: 'numbers',
          redFrom: 2,
          queries: [['max(pricing_rates_missing_fixings)', 'fixings']],
        },
        {
          title: 'Age of the index',
          description:
            'The replica that lags most counts the members as they were this long ago. Up to 20 s is usual.',
          unit: 's',
          as: 'numbers',
          redFrom: 120,
          queries: [['max(audience_index_age_seconds)', 'age']],
        },
        {
          title: 'Members counted',
          description: 'Members in the index who are active and not banned.',
          unit: 'short',
          as: 'numbers',
          queries: [['max(audience_index_members)', 'members']],
        },
        {
          title: 'Memory of the index',
          description: 'Memory of the index in the largest replica.',
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
          description: 'By status: 200 for an estimate, 400 for a refused form.',
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
          description: 'In pricing only, from reading the body to sending the reply.',
          unit: 's',
          queries: [
            [
              `histogram_quantile(0.5, sum by (le) (rate(http_request_duration_seconds_bucket{${estimates}}[$__rate_interval])))`,
              'median',
            ],
            [
              `histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket{${estimates}}[$__rate_interval])))`,
              'p99',
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
          description: 'Changes a second that were received, stored, and counted by one replica.',
          unit: 'cps',
          queries: [
            ['sum by (outcome) (rate(member_changes_total[$__rate_interval]))', 'heard of, {{outcome}}'],
            ['max(rate(audience_changes_applied_total[$__rate_interval]))', 'counted'],
          ],
        },
        {
          title: 'Members that do not count',
          description:
            'In an hour: members in MongoDB that no version of this service wrote, and grids that could not be built; and waits for MongoDB.',
          unit: 'short',
          queries: [
            ['max(increase(audience_unreadable_members_total[1h]))', 'unreadable'],
            ['max(increase(audience_builds_failed_total[1h]))', 'grids not built'],
            ['max(events_wait_for_store{service="pricing"})', 'waits for MongoDB'],
          ],
        },
      ],
    },
    {
      title: 'Privacy budgets',
      panels: [
        {
          title: 'Budgets that were used up',
          description:
            'In an hour, by kind of owner. PrivacyBudgetUsedUp fires when it is not 0; the log names the caller.',
          unit: 'short',
          queries: [['sum by (of) (increase(privacy_budgets_used_up_total[1h]))', '{{of}}']],
        },
      ],
    },
    {
      title: 'Rates',
      panels: [
        {
          title: 'Answers of the feed that were refused',
          description:
            'In an hour, by reason. RatesRefused fires for all except `unreachable`; the last good rates stay in use.',
          unit: 'short',
          queries: [['sum by (reason) (increase(pricing_rates_refused_total[1h]))', '{{reason}}']],
        },
      ],
    },
  ],
};
