/** Views and clicks of an offer, or of all offers of a group: totals, charts, and the same numbers as a table. */
import type { PortalOffer, SeriesReply, SimulatedTrafficReply } from '@offer-ads/contracts/portal/offers-api';
import type { AnalyticsInterval } from '@offer-ads/contracts/public/api';
import type { DayRange } from '@offer-ads/contracts/values/day-range';
import { useMemo, useState } from 'preact/hooks';
import { InputField } from '../../../../../ui/field.tsx';
import { Form, textOf } from '../../../../../ui/form.tsx';
import { Later } from '../../../../../ui/later.tsx';
import { Loaded, Loading } from '../../../../../ui/states.tsx';
import { Table } from '../../../../../ui/table.tsx';
import { useFigures } from '../../../amounts/amounts.ts';
import { Download } from '../../../download.tsx';
import { PeriodChoice } from '../../../period-choice.tsx';
import { usePortal } from '../../../session.ts';
import { type Charted, seriesQuery, useOffersChanged, useSeries } from '../offers-data.ts';
import { bucketText, chartOf, lateBeginning, localTime } from './series.ts';

const intervals: readonly (readonly [AnalyticsInterval, string])[] = [
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['60d', '60 days'],
  ['90d', '90 days'],
  ['all', 'All'],
];

type Period = AnalyticsInterval | DayRange;

type AnalyticsProps = {
  readonly of: Charted;
  /** One of its offers. */
  readonly offer: PortalOffer;
};

export function Analytics({ of, offer }: AnalyticsProps) {
  const { mode, may } = usePortal();
  const [period, setPeriod] = useState<Period>(of.kind === 'offer' ? '24h' : '7d');
  const series = useSeries(of, period);
  return (
    <section class="card" aria-labelledby="offer-analytics">
      <PeriodChoice
        title="Views and clicks"
        id="offer-analytics"
        of={intervals}
        period={period}
        show={setPeriod}
        since={new Date(offer.creation_datetime)}
      />
      {series.isPending ? (
        <div class="chart">
          <Loading what="analytics" lines={6} />
        </div>
      ) : (
        <Loaded query={series} what="analytics">
          {(data) => <Figures key={of.id} of={of} series={data} period={period} />}
        </Loaded>
      )}
      {mode === 'test' && of.kind === 'offer' && may('offers') && offer.deleted_datetime === null && (
        <Simulate offer={offer} />
      )}
    </section>
  );
}

type FiguresProps = { readonly of: Charted; readonly series: SeriesReply; readonly period: Period };

function Figures({ of, series, period }: FiguresProps) {
  const { countText, percentText } = useFigures();
  const { views, clicks } = series.metrics;
  const zone = series.time_zone;
  return (
    <>
      <dl class="totals" aria-live="polite">
        <div>
          <dt>Views</dt>
          <dd class="figure">{countText(views)}</dd>
        </div>
        <div>
          <dt>Clicks</dt>
          <dd class="figure">{countText(clicks)}</dd>
        </div>
        <div>
          <dt>Click rate</dt>
          <dd class="figure">{percentText({ views, clicks })}</dd>
        </div>
      </dl>
      {views === 0 && clicks === 0 ? (
        <p class="muted">
          Nobody saw or clicked {of.kind === 'offer' ? 'this offer' : 'these offers'} from{' '}
          {localTime(series.start_datetime, zone)} to {localTime(series.end_datetime, zone)} ({zone}).
        </p>
      ) : (
        <Charts of={of} series={series} period={period} />
      )}
    </>
  );
}

function Charts({ of, series, period }: FiguresProps) {
  const { countText, percentText } = useFigures();
  const { mode } = usePortal();
  const data = useMemo(() => chartOf(series), [series]);
  const zone = series.time_zone;
  const late = lateBeginning(series);
  const query = seriesQuery(period, zone).toString();
  const name = typeof period === 'string' ? period : `${period.from}-to-${period.to}`;
  return (
    <>
      <p class="chart-title">
        <span>
          <i class="swatch views" />
          Views
        </span>
        <span>
          <i class="swatch clicks" />
          Clicks
        </span>
        {data.isLastOpen && (
          <span>
            <i class="swatch so-far" />
            so far
          </span>
        )}
        <span class="muted">
          each {bucketText(series.bucket_seconds)}, times of {zone}
          {late !== null && `; days begin at ${late}, because counts are kept by whole hours of UTC`}
        </span>
      </p>
      <div class="chart" aria-hidden="true">
        <Later what="The chart" load={() => import('./traffic-chart.tsx')}>
          {({ TrafficChart }) => <TrafficChart data={data} />}
        </Later>
      </div>
      <details>
        <summary>The same figures as a table</summary>
        <div class="figures-scroll" tabIndex={0} role="region" aria-label="Figures">
          <Table
            rows={series.points.toReversed()}
            keyOf={(point) => point.start_datetime}
            narrow
            columns={[
              {
                title: `From (${zone})`,
                kind: 'name',
                cell: (point, index) =>
                  `${localTime(point.start_datetime, zone)}${index === 0 && data.isLastOpen ? ', so far' : ''}`,
              },
              { title: 'Views', numeric: true, cell: (point) => countText(point.views) },
              { title: 'Clicks', numeric: true, cell: (point) => countText(point.clicks) },
              { title: 'Click rate', numeric: true, cell: percentText },
            ]}
          />
        </div>
      </details>
      <div>
        <Download
          path={`/${mode}/${of.kind}s/${of.id}/analytics.csv?${query}`}
          name={`${of.kind}-${of.id}-${name}`}
        >
          Download CSV
        </Download>
      </div>
    </>
  );
}

const wholeNumber = { type: 'number', max: 1_000, step: 1, required: true } as const;

/** In TEST mode no member sees an offer, so people can simulate views and clicks. */
function Simulate({ offer }: { readonly offer: PortalOffer }) {
  const { api } = usePortal();
  const { countText } = useFigures();
  const changed = useOffersChanged();
  const [made, setMade] = useState<string | null>(null);
  const simulate = async (values: FormData) => {
    const [views, clicks] = [Number(textOf(values, 'views')), Number(textOf(values, 'clicks'))];
    const reply = await api.send<SimulatedTrafficReply>(
      'POST',
      `/test/offers/${offer.offer_id}/simulated-traffic`,
      { json: { views, clicks } },
    );
    setMade(null);
    if (!reply.ok) return reply.message;
    setMade(`${countText(views)} views and ${countText(clicks)} clicks were added.`);
    await changed();
    return null;
  };
  return (
    <details>
      <summary>Simulate views and clicks (TEST mode)</summary>
      <div class="simulate">
        <Form send={simulate} submit="Simulate" label="Simulate views and clicks">
          <div class="pair">
            <InputField
              label="Views"
              hint="1 to 1,000"
              name="views"
              placesFaults
              {...wholeNumber}
              min={1}
              defaultValue="100"
            />
            <InputField
              label="Clicks"
              hint="No more than views"
              name="clicks"
              placesFaults
              {...wholeNumber}
              min={0}
              defaultValue="7"
            />
          </div>
        </Form>
        <p role="status">{made}</p>
      </div>
    </details>
  );
}
