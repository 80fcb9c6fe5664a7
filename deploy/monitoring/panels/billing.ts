/** Money: what Stripe tells, what was taken, and whether the ledger adds up. */
import type { Dashboard } from '../dashboard.ts';

export const billing: Dashboard = {
  uid: 'offer-ads-billing',
  title: 'Offer ads: billing',
  description: 'Webhooks, card payments, the ledger, and Stripe.',
  byMode: true,
  rows: [
    {
      title: 'Ledger',
      panels: [
        {
          title: 'Problems in the ledger',
          description:
            'The number of problems that the last check found. LedgerUnsound fires when it is not 0.',
          unit: 'short',
          as: 'numbers',
          redFrom: 1,
          queries: [['max(ledger_check_problems)', 'problems']],
        },
        {
          title: 'Last check of the ledger',
          description:
            'The check runs every night after 04:00 UTC. LedgerCheckMissing fires after 30 hours without one.',
          unit: 's',
          as: 'numbers',
          redFrom: 108_000,
          queries: [['time() - max(ledger_check_timestamp_seconds)', 'ago']],
        },
        {
          title: 'Stripe’s list of events read up to',
          description:
            'Billing reads the list every ten minutes, up to ten minutes ago, because webhooks have that long. StripeEventsMissed fires at two hours.',
          unit: 's',
          as: 'numbers',
          redFrom: 7_200,
          queries: [['time() - max by (mode) (stripe_events_read_up_to_timestamp_seconds)', '{{mode}}, ago']],
        },
        {
          title: 'Stripe not called',
          description: '1 while the circuit breaker for an account is open.',
          unit: 'short',
          as: 'numbers',
          redFrom: 1,
          queries: [['max by (target) (circuit_breaker_open{service="billing"})', '{{target}}']],
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Webhooks in five minutes',
          description:
            'By outcome. WebhookFailures counts `failed` and `wrong-mode`. Anybody can send `unsigned` ones.',
          unit: 'short',
          stacked: true,
          queries: [
            ['sum by (outcome) (increase(stripe_webhooks_total[5m])) > 0 or vector(0)', '{{outcome}}'],
          ],
        },
        {
          title: 'Delay of webhooks',
          description: 'From the event at Stripe until billing applied it. Seconds are usual.',
          unit: 's',
          queries: [
            [
              'histogram_quantile(0.5, sum by (le) (rate(stripe_webhook_delay_seconds_bucket[1h])))',
              'median',
            ],
            ['histogram_quantile(0.99, sum by (le) (rate(stripe_webhook_delay_seconds_bucket[1h])))', 'p99'],
          ],
        },
        {
          title: 'Found without a webhook',
          description: 'Refunds, disputes and payments that billing found by asking Stripe, in an hour.',
          unit: 'short',
          redFrom: 1,
          queries: [
            ['sum by (mode) (increase(stripe_missed_events_total[1h]))', 'events, {{mode}}'],
            ['sum by (mode) (increase(stripe_missed_payments_total[1h]))', 'payments, {{mode}}'],
            ['sum by (mode) (increase(stripe_unapplied_events_total[1h]))', 'cannot be applied, {{mode}}'],
          ],
        },
      ],
    },
    {
      title: 'Payments',
      panels: [
        {
          title: 'Money taken in an hour ($mode)',
          description: 'In minor units of each currency: cards with VAT, balances without.',
          unit: 'short',
          stacked: true,
          queries: [
            [
              'sum by (currency, method, purchase) (increase(money_charged_minor_units_total{mode="$mode"}[1h])) > 0',
              '{{currency}} {{purchase}} by {{method}}',
            ],
          ],
        },
        {
          title: 'Card payments in an hour',
          description:
            'By outcome. All except `paid` and `paid-before` wait for a person: npm run admin -- card problems.',
          unit: 'short',
          queries: [['sum by (outcome) (increase(card_payments_total[1h])) > 0 or vector(0)', '{{outcome}}']],
        },
        {
          title: 'Refunds and disputes in a day ($mode)',
          description: 'Payments that Stripe takes back. A person decides who bears the loss.',
          unit: 'short',
          queries: [
            [
              'sum by (kind, outcome) (increase(card_reversals_total{mode="$mode"}[1d])) > 0 or vector(0)',
              '{{kind}} {{outcome}}',
            ],
          ],
        },
        {
          title: 'Credits that are owed ($mode)',
          description:
            'Unused Time that was credited for payments that Stripe took back later, in minor units. CreditsOwed fires when it is not 0.',
          unit: 'short',
          redFrom: 1,
          queries: [
            [
              'sum by (currency) (max by (mode, currency) (credits_owed_minor_units{mode="$mode"})) > 0 or vector(0)',
              '{{currency}}',
            ],
          ],
        },
        {
          title: 'Time of requests of billing, p99',
          description: '99th percentile by route: charges and checkouts of offers, payment pages, webhooks.',
          unit: 's',
          queries: [
            [
              'histogram_quantile(0.99, sum by (method, route, le) (rate(http_request_duration_seconds_bucket{service="billing", route!~"/livez|/readyz|/metrics"}[$__rate_interval])))',
              '{{method}} {{route}}',
            ],
          ],
        },
      ],
    },
  ],
};
