/** The cursor of a statement: where a page ended. It also carries what was asked for. */
import { type TransactionKind, transactionKind } from '@offer-ads/contracts/internal/billing-api';

/** Null: any time, or every kind. */
export type Asked = {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly kinds: readonly TransactionKind[] | null;
};

export type StatementPlace = {
  /** The newest transaction when the first page was read. Later transactions appear on no page of this listing. */
  readonly newestId: bigint;
  /** The last transaction of the page. */
  readonly lastId: bigint;
};

const form = /^(\d{1,18})~(\d{1,18})~(.*)$/;

export function writeStatementCursor(asked: Asked, { newestId, lastId }: StatementPlace): string {
  return Buffer.from(`${newestId}~${lastId}~${inCursor(asked)}`).toString('base64url');
}

/** Null if the text is not a cursor of what is asked for. */
export function readStatementCursor(text: string, asked: Asked): StatementPlace | null {
  const [, newest, last, of] = form.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (newest === undefined || last === undefined || of !== inCursor(asked)) return null;
  return { newestId: BigInt(newest), lastId: BigInt(last) };
}

function inCursor({ from, to, kinds }: Asked): string {
  const places = kinds
    ?.map((kind) => transactionKind.options.indexOf(kind))
    .toSorted((one, other) => one - other);
  return [from?.getTime(), to?.getTime(), places?.join('.')].join('~');
}
