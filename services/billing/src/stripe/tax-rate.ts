/** The tax rate for the VAT line of a checkout page: created once per Stripe account, then looked up. */
import { randomUUID } from 'node:crypto';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { VAT_PERCENT } from '../domain/invoices/vat.ts';
import type { StripeAccount } from './calls.ts';
import { callStripe, isSpentKey } from './calls.ts';

const MARK = { offer_ads: 'vat-gb-standard' };
/** Stripe's maximum per page; no account is expected to have more active exclusive rates. */
const PAGE = 100;

/** A rate never changes, so one look-up per process and account is enough. */
const known = new WeakMap<StripeAccount, string>();

export async function vatRateId(account: StripeAccount, deadline: Deadline): Promise<string> {
  const id =
    known.get(account) ?? (await findRate(account, deadline)) ?? (await createRate(account, deadline));
  known.set(account, id);
  return id;
}

/** Call it when Stripe no longer knows the rate, for example because the key now belongs to another account. */
export function forgetVatRate(account: StripeAccount): void {
  known.delete(account);
}

/** The oldest rate with our metadata, so that every replica finds the same one. */
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
 * All replicas use one idempotency key, so that they create one rate. Stripe may have stored a failure under it, which it repeats for a
 * day; then another key is used. If two rates are created, every later look-up finds the oldest.
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
    // The idempotency key of the session itself has not been used yet, so the error must not look like a used-up session key.
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
