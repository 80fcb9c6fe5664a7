/** Views of each day as bars, with the same figures as a table that keyboards, fingers and screen readers reach. The chart library would be too large for this page. */
import type { ResultsReply } from '@offer-ads/contracts/portal/offers-api';
import { Table } from '../../../../ui/table.tsx';
import { useFigures } from '../../amounts/amounts.ts';

type DayBarsProps = { readonly points: ResultsReply['points']; readonly timeZone: string };

const MAX_LABELS = 8;

export function DayBars({ points, timeZone }: DayBarsProps) {
  const { countText } = useFigures();
  const greatest = Math.max(1, ...points.map(({ views }) => views));
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone });
  const dayOfMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', timeZone });
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone });
  const named = points.map((point, index) => {
    const at = new Date(point.start_datetime);
    const part = index === points.length - 1 ? ', so far' : index === 0 ? `, from ${time.format(at)} on` : '';
    return { ...point, name: `${day.format(at)}${part}`, isPart: part !== '' };
  });
  const last = points.length - 1;
  const labels = points.map(({ start_datetime: at }, index) => {
    if (index === last) return 'Today';
    if (index === 0) return day.format(new Date(at));
    // The bars of a month have no room for more.
    return points.length <= MAX_LABELS ? dayOfMonth.format(new Date(at)) : '';
  });
  return (
    <figure class="day-bars">
      <figcaption class="row spread small muted">
        <span>
          Views of each day ({timeZone}), up to {countText(greatest)}
        </span>
        <span>
          <i class="swatch part" />
          Part of a day
        </span>
      </figcaption>
      <div class="bars" aria-hidden="true">
        {named.map(({ start_datetime: at, name, views, clicks, isPart }) => (
          <div key={at} title={`${name}: ${countText(views)} views, ${countText(clicks)} clicks`}>
            {/* Its border would be seen without views too. */}
            {views > 0 && (
              <div class={isPart ? 'part' : ''} style={{ height: `${(views / greatest) * 100}%` }} />
            )}
          </div>
        ))}
      </div>
      <div class="bar-days small muted" aria-hidden="true">
        {labels.map((label, index) => (
          <span key={index}>{label}</span>
        ))}
      </div>
      <details>
        <summary>The same figures as a table</summary>
        <div class="figures-scroll" tabIndex={0} role="region" aria-label="Views and clicks of each day">
          <Table
            rows={named.toReversed()}
            keyOf={(point) => point.start_datetime}
            narrow
            columns={[
              { title: 'Day', kind: 'name', cell: ({ name }) => name },
              { title: 'Views', numeric: true, cell: ({ views }) => countText(views) },
              { title: 'Clicks', numeric: true, cell: ({ clicks }) => countText(clicks) },
            ]}
          />
        </div>
      </details>
    </figure>
  );
}
