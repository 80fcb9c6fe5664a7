/** The tax rate behind the VAT line of a payment page: made once per Stripe account, found again ever after. */
import { randomUUID } from 'node:crypto';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { VAT_PERCENT } from '../domain/invoices/vat.ts';
import type { StripeAccount } from './calls.ts';
import { callStripe, isSpentKey } from './calls.ts';

const MARK = { offer_ads: 'vat-gb-standard' };
/** The most that Stripe lists at once; an account with more live exclusive rates than this is beyond expectation. */
const PAGE = 100;

/** A rate never changes once made, so one look-up per process and account is enough. */
const known = new WeakMap<StripeAccount, string>();

export async function vatRateId(account: StripeAccount, deadline: Deadline): Promise<string> {
  const id =
    known.get(account) ?? (await findRate(account, deadline)) ?? (await createRate(account, deadline));
  known.set(account, id);
  return id;
}

/** Stripe no longer knows the rate, for example because the account behind the key was replaced. */
export function forgetVatRate(account: StripeAccount): void {
  known.delete(account);
}

/** The oldest one that bears our mark, so that every replica finds the same. */
async function findRate(account: StripeAccount, deadline: Deadline): Promise<string | undefined> {
  const rates = await callStripe(account, deadline, (client, options) =>
    client.taxRates.list({ active: true, inclusive: false, limit: PAGE }, options),
  );
  return rates.data
    .filter((rate) => rate.metadata?.offer_ads === MARK.offer_ads && rate.percentage === VAT_PERCENT)
    .toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1))[0]?.id;
}

const FIRST_KEY = `tax-rate-${MARK.offer_ads}-${VAT_PERCENT}`;

/**
 * One key for all replicas, so that they make one rate. Should Stripe have stored a failure of its own under it, which it then
 * repeats for a day, another key is tried; of rates that are made at once the oldest is found ever after.
 */
async function createRate(account: StripeAccount, deadline: Deadline): Promise<string> {
  try {
    return await createUnder(FIRST_KEY, account, deadline);
  } catch (error) {
    if (!isSpentKey(error)) throw error;
  }
  try {
    return await createUnder(`${FIRST_KEY}-${randomUUID()}`, account, deadline);
  } catch (error) {
    // Not of the session's own key, which nothing was asked for yet.
    throw isSpentKey(error) ? serviceUnavailable('stripe: the tax rate could not be made', error) : error;
  }
}

async function createUnder(
  idempotencyKey: string,
  account: StripeAccount,
  deadline: Deadline,
): Promise<string> {
  const rate = await callStripe(account, deadline, (client, options) =>
    client.taxRates.create(
      {
        display_name: 'VAT',
        percentage: VAT_PERCENT,
        inclusive: false,
        country: 'GB',
        tax_type: 'vat',
        metadata: MARK,
      },
      { ...options, idempotencyKey },
    ),
  );
  return rate.id;
}
