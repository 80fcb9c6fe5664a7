/** The cursor of a statement: where a page ended. It also carries the period. */

export type Period = { readonly from: Date | null; readonly to: Date | null };

export type StatementPlace = {
  readonly period: Period;
  /** The newest transaction when the first page was read. Later transactions appear on no page of this listing. */
  readonly newestId: bigint;
  /** The last transaction of the page. */
  readonly lastId: bigint;
};

const form = /^(\d{1,18})~(\d{1,18})~(-?\d{1,15})?~(-?\d{1,15})?$/;

export function writeStatementCursor({ period, newestId, lastId }: StatementPlace): string {
  const [from, to] = [period.from, period.to].map((at) => at?.getTime() ?? '');
  return Buffer.from(`${newestId}~${lastId}~${from}~${to}`).toString('base64url');
}

/** Null if the text is not a cursor of this period. */
export function readStatementCursor(text: string, period: Period): StatementPlace | null {
  const [, newest, last, from, to] = form.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (newest === undefined || last === undefined) return null;
  if (!isSameTime(period.from, from) || !isSameTime(period.to, to)) return null;
  return { period, newestId: BigInt(newest), lastId: BigInt(last) };
}

function isSameTime(at: Date | null, writtenMs: string | undefined): boolean {
  return at === null ? writtenMs === undefined : Number(writtenMs) === at.getTime();
}
