/** Months of a statement, from UTC midnight to UTC midnight, as invoices and books count days. */

export type Month = { readonly label: string; readonly from: Date; readonly to: Date };

const label = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The month that `now` is in and those before it, newest first. */
export function latestMonths(now: Date, count: number): readonly Month[] {
  return Array.from({ length: count }, (_, ago) => {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1));
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago + 1, 1));
    return { label: label.format(from), from, to };
  });
}
