/** Commands for prepaid balances and the ledger. */
import { randomUUID } from 'node:crypto';
import { balanceStanding, ledgerCheckReply, revenueReply } from '@offer-ads/contracts/admin/billing-api';
import { organisationSummary } from '@offer-ads/contracts/admin/gateway-api';
import { lowBalanceReply, statementReply } from '@offer-ads/contracts/internal/billing-api';
import { formatMinor, minorUnitDigits, parseAmount } from '@offer-ads/contracts/values/currencies';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { type Command, command, count, id, isoTime, modeOption, text, UsageError } from '../../command.ts';
import type { Tools } from '../../tools.ts';

type Book = { readonly org: number; readonly mode: Mode; readonly currency: string };

export const balanceCommands: readonly Command[] = [
  command({
    name: 'balance show',
    summary: 'Show the prepaid balance of an organisation',
    options: { org: id, mode: modeOption },
    run: async (o, tools) => {
      const book = await bookOf(o, tools);
      return shown(book, await tools.call('billing', 'GET /admin/balances', { query: accountOf(book) }));
    },
  }),
  command({
    name: 'balance statement',
    summary: 'List the bookings of an organisation, newest first; --cursor continues after a page',
    options: {
      org: id,
      mode: modeOption,
      from: isoTime.optional(),
      to: isoTime.optional(),
      limit: count.optional(),
      cursor: text.optional(),
    },
    run: async ({ org, mode, ...filters }, tools) => {
      const book = await bookOf({ org, mode }, tools);
      const query = { ...accountOf(book), ...filters };
      return statementShown(book, await tools.call('billing', 'GET /admin/balances/statement', { query }));
    },
  }),
  command({
    name: 'balance revenue',
    summary:
      'Show what offers brought in on each day, in all or in one organisation: in a month, or the last 30 days',
    options: { mode: modeOption, org: id.optional(), month: text.describe('2026-10').optional() },
    run: async ({ mode, org, month }, tools) => {
      const query = { mode, organisationId: org, month };
      return revenueShown(await tools.call('billing', 'GET /admin/balances/revenue', { query }));
    },
  }),
  command({
    name: 'balance threshold',
    summary: 'Show or set (--amount) the balance below which admins get a mail; --amount none: no mails',
    options: { org: id, mode: modeOption, amount: text.describe('100.00|none').optional() },
    run: async (o, tools) => {
      const book = await bookOf(o, tools);
      if (o.amount === undefined) {
        const query = accountOf(book);
        return thresholdShown(book, await tools.call('billing', 'GET /admin/balances/threshold', { query }));
      }
      const thresholdMinor = o.amount === 'none' ? null : amountAboveZero(o.amount, book.currency);
      const json = { ...accountOf(book), thresholdMinor };
      return thresholdShown(book, await tools.call('billing', 'PUT /admin/balances/threshold', { json }));
    },
  }),
  command({
    name: 'balance top-up',
    summary: 'Add a payment of an organisation to its balance; a repeated reference is booked only once',
    options: {
      org: id,
      mode: modeOption,
      amount: text.describe('100.00'),
      reference: text.optional(),
    },
    run: async (o, tools) => {
      const book = await bookOf(o, tools);
      const reference = o.reference ?? `admin-${randomUUID()}`;
      const json = { ...accountOf(book), amountMinor: amountAboveZero(o.amount, book.currency), reference };
      try {
        return {
          ...shown(book, await tools.call('billing', 'POST /admin/balances/top-up', { json })),
          reference,
        };
      } catch (error) {
        // It may have been booked although the answer was lost: with another reference it would be booked twice.
        const words = error instanceof Error ? error.message : String(error);
        throw new Error(`${words}; if you repeat it, add --reference ${reference}`, { cause: error });
      }
    },
  }),
  command({
    name: 'ledger check',
    summary: 'Check that every transaction sums to zero, and every balance, running ones too, to its entries',
    options: {},
    run: async (_o, { call }) => {
      const reply = await call('billing', 'GET /admin/ledger/check', { patient: true });
      const { problems, ...counted } = ledgerCheckReply.parse(reply);
      return problems.length === 0 ? counted : { ...counted, problems };
    },
    failed: (result) => !('ok' in result && result.ok === true),
  }),
];

/** Billing has one account per currency; the gateway knows the currency of an organisation. */
async function bookOf({ org, mode }: { org: number; mode: Mode }, { call }: Tools): Promise<Book> {
  const reply = await call('gateway', `GET /admin/organisations/${org}`);
  return { org, mode, currency: organisationSummary.parse(reply).currency };
}

function shown(book: Book, reply: object): object {
  const { balanceMinor } = balanceStanding.parse(reply);
  return { ...book, balance: formatMinor(BigInt(balanceMinor), book.currency) };
}

/** As billing names it. */
function accountOf({ org, mode, currency }: Book) {
  return { organisationId: org, mode, currency };
}

/** In minor units. */
function amountAboveZero(amount: string, currency: string): string {
  const amountMinor = parseAmount(amount, currency);
  if (amountMinor !== undefined && amountMinor > 0n) return String(amountMinor);
  throw new UsageError(
    `--amount must be above zero, in ${currency} with at most ${minorUnitDigits(currency)} decimals`,
  );
}

function statementShown(book: Book, reply: object): object {
  const statement = statementReply.parse(reply);
  const money = (minor: string) => formatMinor(BigInt(minor), book.currency);
  return {
    entries: statement.entries.map(({ amountMinor, balanceMinor, card, ...entry }) => ({
      ...entry,
      amount: money(amountMinor),
      balance: money(balanceMinor),
      cardNet: card && money(card.netMinor),
      cardVat: card && money(card.vatMinor),
    })),
    ...book,
    openingBalance: money(statement.openingBalanceMinor),
    closingBalance: money(statement.closingBalanceMinor),
    nextCursor: statement.nextCursor,
  };
}

function revenueShown(reply: object): object {
  const { mode, currencies } = revenueReply.parse(reply);
  const days = currencies.flatMap(({ currency, days: ofCurrency }) => {
    const money = (minor: string) => formatMinor(BigInt(minor), currency);
    return ofCurrency.map(({ day, fromBalanceMinor, byCardMinor, creditedMinor }) => ({
      day,
      currency,
      fromBalance: money(fromBalanceMinor),
      byCard: money(byCardMinor),
      credited: money(creditedMinor),
    }));
  });
  return { days, mode };
}

function thresholdShown(book: Book, reply: object): object {
  const { thresholdMinor, balanceMinor, isLow } = lowBalanceReply.parse(reply);
  return {
    ...book,
    threshold: thresholdMinor === null ? null : formatMinor(BigInt(thresholdMinor), book.currency),
    balance: formatMinor(BigInt(balanceMinor), book.currency),
    isLow,
  };
}
