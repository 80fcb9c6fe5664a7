/** A chart of a series, by uPlot. It follows changes of the theme's colours and of its width. */
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { coloursOf, useThemeChanges } from '../../../../../ui/theme/colours.ts';
import type { ChartData } from './series.ts';

type TrafficChartProps = { readonly data: ChartData };

const names = {
  text: '--muted',
  line: '--line',
  views: '--chart-views',
  clicks: '--chart-clicks',
} as const;
type Colours = { readonly [Name in keyof typeof names]: string };

const HEIGHT = 256;
/** How much of the colour an interval has that is not over. */
const SO_FAR = 0.45;

export function TrafficChart({ data }: TrafficChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const theme = useThemeChanges();

  useEffect(() => {
    const place = host.current;
    if (place === null) return;
    const options = optionsOf(data, coloursOf(place, names));
    chart.current = new uPlot(
      { ...options, width: place.clientWidth, height: HEIGHT },
      columnsOf(data),
      place,
    );
    const resized = new ResizeObserver(() => {
      chart.current?.setSize({ width: place.clientWidth, height: HEIGHT });
    });
    resized.observe(place);
    return () => {
      resized.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [data.bucketSeconds, data.timeZone, theme]);

  useEffect(() => {
    chart.current?.setData(columnsOf(data));
  }, [data]);

  return <div ref={host} />;
}

function columnsOf({ times, views, clicks, isLastOpen }: ChartData): uPlot.AlignedData {
  // An interval that is not over is drawn apart.
  const firstOpen = times.length - (isLastOpen ? 1 : 0);
  const past = (counts: readonly number[]) => counts.map((count, at) => (at < firstOpen ? count : null));
  const soFar = (counts: readonly number[]) => counts.map((count, at) => (at < firstOpen ? null : count));
  return [[...times], past(views), past(clicks), soFar(views), soFar(clicks)];
}

function optionsOf(
  { bucketSeconds, timeZone }: Pick<ChartData, 'bucketSeconds' | 'timeZone'>,
  colours: Colours,
): Omit<uPlot.Options, 'width' | 'height'> {
  const paths = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  const bars = (fill: string, alpha = 1): uPlot.Series => ({
    fill,
    alpha,
    width: 0,
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
        range: (_chart, from, to) => [from, to + bucketSeconds],
      },
      y: { range: (_chart, _from, to) => [0, Math.max(1, (to ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, values: (_chart, splits) => splits.map(timesIn(timeZone, bucketSeconds)), space: 70 },
      {
        ...axis,
        size: 52,
        incrs: wholeSteps,
        values: (_chart, splits) => splits.map((value) => figures.format(value)),
      },
    ],
    series: [
      {},
      bars(colours.views),
      bars(colours.clicks),
      bars(colours.views, SO_FAR),
      bars(colours.clicks, SO_FAR),
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
