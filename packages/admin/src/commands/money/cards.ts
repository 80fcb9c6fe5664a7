/** Commands for problems at the card provider that need a person. */
import { cardProblemsReply, settleReply } from '@offer-ads/contracts/admin/billing-api';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { z } from 'zod';
import { type Command, command, count, text } from '../../command.ts';

export const cardCommands: readonly Command[] = [
  command({
    name: 'card problems',
    summary: 'List refunds and disputes at the card provider and payments that fit nothing, the latest first',
    options: { limit: count.optional() },
    run: async ({ limit }, { call }) => {
      const reply = await call('billing', 'GET /admin/card-problems', { query: { limit } });
      const { reversals, owed, payments } = cardProblemsReply.parse(reply);
      return { reversals: reversals.map(shown), owed: owed.map(owedShown), payments: payments.map(shown) };
    },
  }),
  command({
    name: 'card settle',
    summary:
      'Decide, once, who bears a refund or a dispute: the platform, or the prepaid balance of the organisation',
    options: {
      problem: text.describe('re_...|dp_...'),
      by: z.enum(['platform', 'balance'], 'must be platform or balance').describe('platform|balance'),
      reason: text,
    },
    operand: 'problem',
    run: async ({ problem: id, by: borneBy, reason }, { call }) => {
      const json = { id, borneBy, reason };
      return shown(settleReply.parse(await call('billing', 'POST /admin/card-problems/settle', { json })));
    },
  }),
];

function owedShown({
  creditedMinor,
  owedMinor,
  ...offer
}: z.infer<typeof cardProblemsReply>['owed'][number]): object {
  const money = (minor: string) => formatMinor(BigInt(minor), offer.currency);
  return { ...offer, credited: money(creditedMinor), owed: money(owedMinor) };
}

type Problem = { readonly amountMinor: string | null; readonly currency: string | null };

function shown({ amountMinor, currency, ...problem }: Problem): object {
  const isKnown = amountMinor !== null && currency !== null;
  return { ...problem, amount: isKnown ? formatMinor(BigInt(amountMinor), currency) : null, currency };
}
