/** Views of each day as bars. */
import type { ResultsReply } from '@offer-ads/contracts/portal/offers-api';
import { Bars } from '../../../../ui/bars.tsx';
import { Table } from '../../../../ui/table.tsx';
import { useFigures } from '../../amounts/amounts.ts';
import { bucketText, isLastOpen } from '../offers/one/series.ts';

const MAX_LABELS = 8;

export function DayBars({ of: results }: { readonly of: ResultsReply }) {
  const { countText } = useFigures();
  const { points, bucket_seconds: seconds, time_zone: timeZone } = results;
  const greatest = Math.max(1, ...points.map(({ views }) => views));
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone });
  const dayOfMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', timeZone });
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone });
  const last = points.length - 1;
  const isOpen = isLastOpen(results);
  const each = bucketText(seconds);
  const bars = points.map(({ start_datetime: key, views, clicks }, index) => {
    const at = new Date(key);
    const from = time.format(at);
    const part =
      isOpen && index === last ? ', so far' : index === 0 && from !== '00:00' ? `, from ${from} on` : '';
    // The bars of a month have no room for more labels.
    const label = points.length <= MAX_LABELS ? dayOfMonth.format(at) : '';
    return {
      key,
      views,
      clicks,
      name: `${day.format(at)}${part}`,
      isPart: part !== '',
      label:
        isOpen && index === last && each === 'day'
          ? 'Today'
          : index === 0 || index === last
            ? day.format(at)
            : label,
    };
  });
  return (
    <Bars
      caption={
        <>
          <span>
            Views of each {each} ({timeZone}), up to {countText(greatest)}
          </span>
          {bars.some(({ isPart }) => isPart) && (
            <span>
              <i class="swatch part" />
              Part of a {each}
            </span>
          )}
        </>
      }
      bars={bars.map(({ key, name, views, clicks, isPart, label }) => ({
        key,
        size: views,
        look: isPart ? 'part' : undefined,
        title: `${name}: ${countText(views)} views, ${countText(clicks)} clicks`,
        label,
      }))}
      name={`Views and clicks of each ${each}`}
    >
      <Table
        rows={bars.toReversed()}
        keyOf={({ key }) => key}
        narrow
        columns={[
          { title: each === 'day' ? 'Day' : 'From', kind: 'name', cell: ({ name }) => name },
          { title: 'Views', numeric: true, cell: ({ views }) => countText(views) },
          { title: 'Clicks', numeric: true, cell: ({ clicks }) => countText(clicks) },
        ]}
      />
    </Bars>
  );
}
