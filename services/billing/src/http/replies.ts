/** Every refusal as its caller reads it: a table from the reason to status and message for each use. */
import type { Refusal } from '@offer-ads/contracts/public/api';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { pageLimits } from '@offer-ads/contracts/values/offer-limits';
import type { Response } from 'express';
import type { PlayMoneyOutcome } from '../balance/add-play-money.ts';
import type { TopUpResult } from '../balance/top-up-balance.ts';
import type { Bearer } from '../domain/payments/settlement.ts';
import type { TopUpOutcome } from '../payments/open-top-up.ts';
import type { SettleRefusal } from '../reversals/settle-reversal.ts';

export type Reply = { readonly status: number; readonly message: string };

type Replies<R extends { readonly reason: string }> = {
  readonly [Reason in R['reason']]: (refusal: Extract<R, { readonly reason: Reason }>) => Reply;
};
type RefusalOf<O extends { readonly ok: boolean }> = Extract<O, { readonly ok: false }>;

export function refuse<R extends { readonly reason: string }>(
  res: Response,
  replies: Replies<R>,
  refusal: R,
): void {
  // Each refusal's type matches its own reply function, but the compiler cannot follow the look-up.
  const replyTo = replies[refusal.reason as R['reason']] as (refusal: R) => Reply;
  send(res, replyTo(refusal));
}

export function send(res: Response, { status, message }: Reply): void {
  res.status(status).json({ message });
}

/** Refusals common to both ways in which a person in the portal adds money. */
const addedMoney = {
  'different-payload': () => reply(422, 'This Idempotency-Key was used with a different payload'),
  'currency-not-billed': ({ currency }: { readonly currency: string }) =>
    reply(400, `The billing currency ${currency} cannot be billed`),
};

/** GET /balance/entries: the words of GET /offers. */
export const entriesFaults = {
  limit: `limit must be a whole number from 1 to ${pageLimits.most}`,
  cursor: 'cursor must be the next_cursor of an earlier page',
} as const;
export type EntriesFault = keyof typeof entriesFaults;

export function entriesRefusal(faults: readonly EntriesFault[]): Refusal {
  const message = faults.map((fault) => entriesFaults[fault]).join('; ');
  return { return_code: 'E1', status: 'Error', code: 400, message };
}

/** POST /internal/top-ups */
export const cardTopUpReplies: Replies<RefusalOf<TopUpOutcome>> = {
  ...addedMoney,
  'below-minimum': ({ minimumMinor, currency }) =>
    reply(
      400,
      `amountMinor: a card payment must be at least ${formatMinor(minimumMinor, currency)} ${currency}`,
    ),
  'above-maximum': ({ maximumMinor, currency }) =>
    reply(
      400,
      `amountMinor: a card payment must be at most ${formatMinor(maximumMinor, currency)} ${currency}, VAT included`,
    ),
  'too-many-open': ({ open, nextClosesAt }) =>
    reply(
      409,
      `${open} top-ups wait for their payment already: pay one of them by its link, or ask again after ` +
        `${nextClosesAt.toISOString()}, when the first of them closes`,
    ),
};

/** POST /internal/play-money */
export const playMoneyReplies: Replies<RefusalOf<PlayMoneyOutcome>> = {
  ...addedMoney,
  // The same answer as for an unknown path, so that the answer does not suggest play money in LIVE mode.
  'not-test-mode': () => reply(404, 'Not found'),
  'not-an-amount': ({ maxMinor, currency }) =>
    reply(400, `amountMinor: must be above zero and at most ${formatMinor(maxMinor, currency)} ${currency}`),
  'balance-too-high': ({ maxMinor, currency }) =>
    reply(409, `Play money brings a balance to ${formatMinor(maxMinor, currency)} ${currency} at most`),
};

/** POST /admin/balances/top-up */
export const platformTopUpReplies: Replies<RefusalOf<TopUpResult>> = {
  'reference-taken': () => reply(409, 'The reference stands for another top-up'),
};

const bearers = { platform: 'the platform', balance: 'the balance' } as const satisfies Record<
  Bearer,
  string
>;

/** POST /admin/card-problems/settle */
export const settleReplies: Replies<SettleRefusal> = {
  unknown: () => reply(404, 'There is no refund or dispute of that id'),
  'nothing-taken': () => reply(409, 'The provider has taken nothing: there is nothing to bear'),
  returned: () => reply(409, 'The provider has returned the money: there is nothing to bear'),
  'not-booked': () =>
    reply(
      409,
      'It is not booked: its payment is not known yet, or it is more than what is left of its payment',
    ),
  'settled-otherwise': ({ settlement: { decidedBy, settledAt, borneBy } }) =>
    reply(409, `It was settled by ${decidedBy} on ${settledAt.toISOString()}, borne by ${bearers[borneBy]}`),
  'balance-too-low': ({ balanceMinor, reversal: { amountMinor, currency } }) =>
    reply(
      409,
      `The balance has ${formatMinor(balanceMinor, currency)} of ${formatMinor(amountMinor, currency)} ${currency}: ` +
        'settle it when the balance bears it, or let the platform bear it',
    ),
};

/** GET /admin/invoices/{number} */
export const unknownInvoice = reply(404, 'There is no such invoice');
/** POST /admin/payments/{offerId}/void */
export const unknownPayment = reply(404, 'No payment of this offer');
/** POST /webhooks/stripe */
export const unsignedWebhook = reply(400, 'Signature refused');

function reply(status: number, message: string): Reply {
  return { status, message };
}
