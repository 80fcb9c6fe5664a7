/** Prepaid balances and the ledger behind them. */
import { randomUUID } from 'node:crypto';
import { balanceStanding, ledgerCheckReply, organisationSummary } from '@offer-ads/contracts/admin-api';
import { formatMinor, minorUnitDigits, parseAmount } from '@offer-ads/contracts/currencies';
import type { Mode } from '@offer-ads/contracts/primitives';
import { type Command, command, id, modeOption, text, UsageError } from '../command.ts';
import type { Tools } from '../tools.ts';

type Book = { readonly org: number; readonly mode: Mode; readonly currency: string };

export const balanceCommands: readonly Command[] = [
  command({
    name: 'balance show',
    summary: 'Show the prepaid balance of an organisation',
    options: { org: id, mode: modeOption },
    run: async (o, tools) => {
      const book = await bookOf(o, tools);
      const query = new URLSearchParams({
        organisationId: String(book.org),
        mode: book.mode,
        currency: book.currency,
      });
      return shown(
        book,
        await tools.call('billing', { method: 'GET', path: `/admin/balances?${query.toString()}` }),
      );
    },
  }),
  command({
    name: 'balance top-up',
    summary: 'Add to the balance what an organisation has paid; a reference that is repeated is booked once',
    options: {
      org: id,
      mode: modeOption,
      amount: text.describe('100.00'),
      reference: text.optional(),
    },
    run: async (o, tools) => {
      const book = await bookOf(o, tools);
      const amountMinor = parseAmount(o.amount, book.currency);
      if (amountMinor === undefined || amountMinor <= 0n) {
        const digits = minorUnitDigits(book.currency);
        throw new UsageError(
          `--amount must be above zero, in ${book.currency} with at most ${digits} decimals`,
        );
      }
      const json = {
        organisationId: book.org,
        mode: book.mode,
        currency: book.currency,
        amountMinor: String(amountMinor),
        reference: o.reference ?? `admin-${randomUUID()}`,
      };
      return shown(
        book,
        await tools.call('billing', { method: 'POST', path: '/admin/balances/top-up', json }),
      );
    },
  }),
  command({
    name: 'ledger check',
    summary: 'Check that every transaction sums to zero and every balance to its entries',
    options: {},
    run: async (_o, { call }) => {
      const reply = await call('billing', { method: 'GET', path: '/admin/ledger/check', patient: true });
      const { problems, ...counted } = ledgerCheckReply.parse(reply);
      return problems.length === 0 ? counted : { ...counted, problems };
    },
    failed: (result) => !('ok' in result && result.ok === true),
  }),
];

/** Billing keeps one book per currency; which one an organisation is billed in, the gateway knows. */
async function bookOf({ org, mode }: { org: number; mode: Mode }, { call }: Tools): Promise<Book> {
  const reply = await call('gateway', { method: 'GET', path: `/admin/organisations/${org}` });
  return { org, mode, currency: organisationSummary.parse(reply).currency };
}

function shown(book: Book, reply: object): object {
  const { balanceMinor } = balanceStanding.parse(reply);
  return { ...book, balance: formatMinor(BigInt(balanceMinor), book.currency) };
}
