/** Formats figures of offers: numbers, click rates, and changes against an earlier period. */
import { lazily } from '@offer-ads/contracts/values/lazily';

const counts = lazily(() => new Intl.NumberFormat('en-GB'));
const percents = lazily(
  () =>
    new Intl.NumberFormat('en-GB', {
      style: 'percent',
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    }),
);
const days = lazily(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }),
);
const changes = lazily(
  () =>
    new Intl.NumberFormat('en-GB', {
      style: 'percent',
      maximumFractionDigits: 0,
      signDisplay: 'exceptZero',
    }),
);

type Traffic = { readonly views: number; readonly clicks: number };

export function countText(count: number): string {
  return counts().format(count);
}

/** Null without views. */
export function clickRate({ views, clicks }: Traffic): number | null {
  return views === 0 ? null : clicks / views;
}

/** "27 Nov – 8 Dec 2026", in the reader's time zone. */
export function daysText(from: string, to: string): string {
  return days().formatRange(new Date(from), new Date(to));
}

/** "4.2%"; a dash without views. */
export function percentText(traffic: Traffic): string {
  const rate = clickRate(traffic);
  return rate === null ? '–' : percents().format(rate);
}

/** Beyond this, a percentage says less than the two numbers. */
const GREATEST_CHANGE = 10;

/** "+12%"; null where nothing can be compared. */
export function changeText(now: number | null, before: number | null): string | null {
  if (now === null || before === null || before <= 0) return null;
  const change = (now - before) / before;
  return change > GREATEST_CHANGE ? null : changes().format(change);
}
