/** Formats figures of offers: numbers, click rates, and changes against an earlier period. */
import { directionMarks, localeOf } from '@offer-ads/contracts/values/amount-text';
import { lazily } from '@offer-ads/contracts/values/lazily';

const days = lazily(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }),
);
type Traffic = { readonly views: number; readonly clicks: number };

export type Figures = {
  /** "1,234" */
  readonly countText: (count: number) => string;
  /** The price of an Ad Unit, with its six decimals at most: "0.001145". */
  readonly unitPriceText: (price: number) => string;
  /** "4.2%"; a dash without views. */
  readonly percentText: (traffic: Traffic) => string;
  /** "+12%"; null where nothing can be compared. */
  readonly changeText: (now: number | null, before: number | null) => string | null;
};

/** A cache for the country of the organisation, because creating a format takes a hundred times as long as using it. */
let known: { readonly country: string; readonly figures: Figures } | undefined;

/** Figures in the number format of a country, as its amounts. */
export function figuresOf(country: string): Figures {
  if (known?.country === country) return known.figures;
  const format = (options: Intl.NumberFormatOptions) => {
    const made = lazily(
      () => new Intl.NumberFormat(localeOf(country), { numberingSystem: 'latn', ...options }),
    );
    return (value: number) => made().format(value).replace(directionMarks, '');
  };
  const unitPriceText = format({ maximumFractionDigits: 6 });
  const percents = format({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const changes = format({ style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' });
  const figures: Figures = {
    countText: format({ maximumFractionDigits: 0 }),
    unitPriceText,
    percentText: (traffic) => {
      const rate = clickRate(traffic);
      return rate === null ? '–' : percents(rate);
    },
    changeText: (now, before) => {
      if (now === null || before === null || before <= 0) return null;
      const change = (now - before) / before;
      return change > GREATEST_CHANGE ? null : changes(change);
    },
  };
  known = { country, figures };
  return figures;
}

/** Null without views. */
export function clickRate({ views, clicks }: Traffic): number | null {
  return views === 0 ? null : clicks / views;
}

/** "27 Nov – 8 Dec 2026", in the reader's time zone. */
export function daysText(from: string, to: string): string {
  return days().formatRange(new Date(from), new Date(to));
}

/** Beyond this, a percentage says less than the two numbers. */
const GREATEST_CHANGE = 10;
