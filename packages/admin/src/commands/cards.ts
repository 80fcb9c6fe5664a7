/** What the card provider did with money and a person has to look at. */
import { cardProblemsReply } from '@offer-ads/contracts/admin-api';
import { formatMinor } from '@offer-ads/contracts/currencies';
import { type Command, command, count } from '../command.ts';

export const cardCommands: readonly Command[] = [
  command({
    name: 'card problems',
    summary: 'List refunds and disputes at the card provider and payments that fit nothing, the latest first',
    options: { limit: count.optional() },
    run: async ({ limit }, { call }) => {
      const query = limit === undefined ? '' : `?limit=${limit}`;
      const reply = await call('billing', { method: 'GET', path: `/admin/card-problems${query}` });
      const { reversals, payments } = cardProblemsReply.parse(reply);
      return { reversals: reversals.map(shown), payments: payments.map(shown) };
    },
  }),
];

type Problem = { readonly amountMinor: string | null; readonly currency: string | null };

function shown({ amountMinor, currency, ...problem }: Problem): object {
  const isKnown = amountMinor !== null && currency !== null;
  return { ...problem, amount: isKnown ? formatMinor(BigInt(amountMinor), currency) : null, currency };
}
