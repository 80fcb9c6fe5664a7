/** Months from midnight to midnight in UTC, like the days on invoices. */

/** `name`: such as 2026-10. */
export type Month = {
  readonly name: string;
  readonly label: string;
  readonly from: Date;
  readonly to: Date;
};

const label = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The month of `now` and earlier months, newest first; none that was over before `since`. */
export function latestMonths(now: Date, count: number, since: Date): readonly Month[] {
  return Array.from({ length: count }, (_, ago) => {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1));
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago + 1, 1));
    return { name: from.toISOString().slice(0, 7), label: label.format(from), from, to };
  }).filter(({ to }) => to > since);
}
