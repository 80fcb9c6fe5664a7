/** A chart of a series, by uPlot. It follows changes of the theme's colours and of its width. */
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { coloursOf, useThemeChanges } from '../../../../../ui/theme/colours.ts';
import type { ChartData } from './series.ts';

type TrafficChartProps = { readonly kind: 'traffic' | 'rate'; readonly data: ChartData };

const names = {
  text: '--muted',
  line: '--line',
  views: '--chart-views',
  clicks: '--chart-clicks',
  rate: '--chart-rate',
} as const;
type Colours = { readonly [Name in keyof typeof names]: string };

const heights = { traffic: 256, rate: 176 } as const;

export function TrafficChart({ kind, data }: TrafficChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const theme = useThemeChanges();

  useEffect(() => {
    const place = host.current;
    if (place === null) return;
    const options = optionsOf(kind, data.bucketSeconds, coloursOf(place, names));
    chart.current = new uPlot(
      { ...options, width: place.clientWidth, height: heights[kind] },
      columnsOf(kind, data),
      place,
    );
    const resized = new ResizeObserver(() => {
      chart.current?.setSize({ width: place.clientWidth, height: heights[kind] });
    });
    resized.observe(place);
    return () => {
      resized.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [kind, data.bucketSeconds, theme]);

  useEffect(() => {
    chart.current?.setData(columnsOf(kind, data));
  }, [kind, data]);

  return <div ref={host} />;
}

function columnsOf(kind: TrafficChartProps['kind'], data: ChartData): uPlot.AlignedData {
  if (kind === 'traffic') return [[...data.times], [...data.views], [...data.clicks]];
  // The point of a rate is in the middle of its interval.
  return [data.times.map((at) => at + data.bucketSeconds / 2), [...data.rate]];
}

function optionsOf(
  kind: TrafficChartProps['kind'],
  bucketSeconds: number,
  colours: Colours,
): Omit<uPlot.Options, 'width' | 'height'> {
  const bars = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  const axis = {
    stroke: colours.text,
    grid: { stroke: colours.line, width: 1 },
    ticks: { stroke: colours.line, width: 1 },
    font: '12px system-ui, sans-serif',
  };
  return {
    // The axis shows UTC, because counts are stored by hours of UTC.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      // Leave space for the last bar.
      x: {
        range: (_chart, from, to) =>
          kind === 'traffic'
            ? [from, to + bucketSeconds]
            : [from - bucketSeconds / 2, to + bucketSeconds / 2],
      },
      y: { range: (_chart, _from, to) => [0, Math.max(kind === 'rate' ? 5 : 4, (to ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, values: (_chart, splits) => splits.map((at) => timeText(at, bucketSeconds)), space: 70 },
      {
        ...axis,
        size: 52,
        ...(kind === 'traffic' ? { incrs: wholeSteps } : {}),
        values: (_chart, splits) => splits.map((value) => figures.format(value)),
      },
    ],
    series:
      kind === 'rate'
        ? [{}, { stroke: colours.rate, width: 2, points: { show: true, size: 6, fill: colours.rate } }]
        : [
            {},
            {
              fill: colours.views,
              stroke: colours.views,
              width: 0,
              ...(bars && { paths: bars }),
              points: { show: false },
            },
            {
              fill: colours.clicks,
              stroke: colours.clicks,
              width: 0,
              ...(bars && { paths: bars }),
              points: { show: false },
            },
          ],
  };
}

/** Counts are whole numbers, so the axis has no fractions. */
const wholeSteps = [1, 2, 5]
  .flatMap((step) => [0, 1, 2, 3, 4, 5, 6, 7].map((power) => step * 10 ** power))
  .toSorted((a, b) => a - b);

const figures = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });
const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function timeText(seconds: number, bucketSeconds: number): string {
  const at = new Date(seconds * 1_000);
  const isDay = bucketSeconds >= 86_400 || at.getUTCHours() === 0;
  return (isDay ? days : hours).format(at);
}
