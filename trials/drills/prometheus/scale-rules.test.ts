import { describe, expect, it } from '@jest/globals';
import { scaleExpression, scaleRules } from './scale-rules.ts';

const thirty = { ranges: 30, ages: 30 };

describe('rules in a hurry', () => {
  it.each([
    ['rate(x_total[15m])', 'rate(x_total[30000ms])'],
    ['rate(x_total[1h30m] offset 10m)', 'rate(x_total[180000ms] offset 20000ms)'],
    [
      'max by (a) (outbox_oldest_event_age_seconds) > 300',
      'max by (a) (outbox_oldest_event_age_seconds) > 10',
    ],
    ['outbox_oldest_event_age_seconds{a="b"} >= 30', 'outbox_oldest_event_age_seconds{a="b"} >= 1'],
    [
      'time() - max by (a, b) (x_timestamp_seconds) > 108000',
      'time() - max by (a, b) (x_timestamp_seconds) > 3600',
    ],
  ])('%s', (expr, scaled) => {
    expect(scaleExpression(expr, thirty)).toBe(scaled);
  });

  it('what is no duration stays as it is', () => {
    const kept = [
      'up == 0',
      'broker_connected{service=~"a|b"} == 0',
      'time() - max by (a) (x_timestamp_seconds) > 3 * max by (a) (y_seconds)',
      'histogram_seconds_bucket{le="2.5"} > 10',
    ];
    expect(kept.map((expr) => scaleExpression(expr, thirty))).toEqual(kept);
  });

  it('a window stays long enough for a rate, and is never made longer than it was', () => {
    expect(scaleExpression('rate(x[1m])', thirty)).toBe('rate(x[8000ms])');
    expect(scaleExpression('rate(x[5s])', thirty)).toBe('rate(x[5000ms])');
  });

  it('each alert has its own hurry, waits are divided too, and groups are evaluated as often as all is scraped', () => {
    const rule = {
      expr: 'x_age_seconds > 300',
      for: '10m',
      keep_firing_for: '5m',
      labels: { severity: 'page' },
    };
    const file = {
      groups: [
        {
          name: 'g',
          interval: '30s',
          rules: [
            { alert: 'A', ...rule },
            { alert: 'B', ...rule },
          ],
        },
      ],
    };
    const scaled = scaleRules(file, (alert) => (alert === 'A' ? thirty : { ranges: 2, ages: 1 }));
    expect(scaled).toEqual({
      groups: [
        {
          name: 'g',
          rules: [
            { ...rule, alert: 'A', expr: 'x_age_seconds > 10', for: '20000ms', keep_firing_for: '10000ms' },
            { ...rule, alert: 'B', for: '300000ms', keep_firing_for: '150000ms' },
          ],
        },
      ],
    });
  });
});
