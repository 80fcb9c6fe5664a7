/** Views of each day as bars. */
import type { ResultsReply } from '@offer-ads/contracts/portal/offers-api';
import { Bars } from '../../../../ui/bars.tsx';
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
    <Bars
      caption={
        <>
          <span>
            Views of each day ({timeZone}), up to {countText(greatest)}
          </span>
          <span>
            <i class="swatch part" />
            Part of a day
          </span>
        </>
      }
      bars={named.map(({ start_datetime: key, name, views, clicks, isPart }, index) => ({
        key,
        size: views,
        look: isPart ? 'part' : undefined,
        title: `${name}: ${countText(views)} views, ${countText(clicks)} clicks`,
        label: labels[index] ?? '',
      }))}
      name="Views and clicks of each day"
    >
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
    </Bars>
  );
}
