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
    const options = optionsOf(kind, data, coloursOf(place, names));
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
  }, [kind, data.bucketSeconds, data.timeZone, theme]);

  useEffect(() => {
    chart.current?.setData(columnsOf(kind, data));
  }, [kind, data]);

  return <div ref={host} />;
}

function columnsOf(kind: TrafficChartProps['kind'], data: ChartData): uPlot.AlignedData {
  if (kind === 'traffic') {
    // The last interval is not over yet, so it is drawn apart. Without counts not at all: its border would be seen.
    const past = (counts: readonly number[]) =>
      counts.map((count, at) => (at === counts.length - 1 ? null : count));
    const soFar = (counts: readonly number[]) =>
      counts.map((count, at) => (at === counts.length - 1 && count > 0 ? count : null));
    return [[...data.times], past(data.views), past(data.clicks), soFar(data.views), soFar(data.clicks)];
  }
  // The point of a rate is in the middle of its interval.
  return [data.times.map((at) => at + data.bucketSeconds / 2), [...data.rate]];
}

function optionsOf(
  kind: TrafficChartProps['kind'],
  { bucketSeconds, timeZone }: Pick<ChartData, 'bucketSeconds' | 'timeZone'>,
  colours: Colours,
): Omit<uPlot.Options, 'width' | 'height'> {
  const paths = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  const bars = (stroke: string, fill: string | (() => CanvasPattern | string)): uPlot.Series => ({
    fill,
    stroke,
    width: typeof fill === 'string' ? 0 : 1,
    ...(paths && { paths }),
    points: { show: false },
  });
  const axis = {
    stroke: colours.text,
    grid: { stroke: colours.line, width: 1 },
    ticks: { stroke: colours.line, width: 1 },
    font: '12px system-ui, sans-serif',
  };
  return {
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
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
      y: { range: (_chart, _from, to) => [0, Math.max(1, (to ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, values: (_chart, splits) => splits.map(timesIn(timeZone, bucketSeconds)), space: 70 },
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
            bars(colours.views, colours.views),
            bars(colours.clicks, colours.clicks),
            bars(colours.views, () => hatched(colours.views)),
            bars(colours.clicks, () => hatched(colours.clicks)),
          ],
  };
}

/** Counts are whole numbers, so the axis has no fractions. */
const wholeSteps = [1, 2, 5]
  .flatMap((step) => [0, 1, 2, 3, 4, 5, 6, 7].map((power) => step * 10 ** power))
  .toSorted((a, b) => a - b);

const figures = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });
function timesIn(timeZone: string, bucketSeconds: number): (seconds: number) => string {
  const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone });
  const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone });
  return (seconds) => {
    const at = new Date(seconds * 1_000);
    const isDay = bucketSeconds >= 86_400 || hours.format(at).startsWith('00:');
    return (isDay ? days : hours).format(at);
  };
}

/** Stripes of a colour, for what is not over yet. */
function hatched(colour: string): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = 6;
  tile.height = 6;
  const brush = tile.getContext('2d');
  if (brush === null) return colour;
  brush.strokeStyle = colour;
  brush.lineWidth = 2;
  brush.beginPath();
  for (const shift of [-6, 0, 6]) {
    brush.moveTo(shift, 6);
    brush.lineTo(shift + 6, 0);
  }
  brush.stroke();
  return brush.createPattern(tile, 'repeat') ?? colour;
}
