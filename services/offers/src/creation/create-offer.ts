/**
 * Creating an offer, or the offers of a group, all or none: received -> charging -> finished (architecture, "Creating an offer"). An
 * idempotency key, here called key, leads to at most one offer or group and one charge, even with crashes, races and lost answers, because
 * - only the holder of the key's lease works on the creation. Each holder has a new fence, a number that all its writes contain; a write
 *   with an older fence changes nothing;
 * - until `charging`, no other service has changed anything, so the creation may be repeated or dropped;
 * - from `charging` on, the offers have their ids and are stored as hidden reservations. Billing charges the id of an offer or of a group at
 *   most once, and the creation is completed even if its caller has disconnected.
 */

import type { CreateReply } from '@offer-ads/contracts/public/api';
import type { CreateGroupReply } from '@offer-ads/contracts/public/groups-api';
import { cardMaximumMinor } from '@offer-ads/contracts/values/currencies';
import { type Refused, refused } from '@offer-ads/contracts/values/refused';
import { sum } from '@offer-ads/contracts/values/sum';
import type { OffersContext } from '../context.ts';
import { checkQuota, limitsFor } from '../domain/creation/quota.ts';
import type { Billed } from '../domain/lifecycle/lifecycle.ts';
import type { CallContext } from '../other-services.ts';
import { nowForCreation } from '../test-clock/test-clock-store.ts';
import {
  aboveLimit,
  type CheckRefusal,
  type CheckRequest,
  type Checks,
  checkCreation,
  quotaOf,
} from './check-creation.ts';
import { dropCreation, finishCreation, resolveCharge } from './end-creation.ts';
import { type Creation, freeKey, type Hold, HoldLost } from './idempotency-store.ts';
import { findReservations, type Reservations, reserveOffers } from './reservations-store.ts';
import { type KeyRefusal, type Outcome, withKey } from './with-key.ts';

/**
 * `receivedAt` is set once, when the request arrives (decision 8, time of a request). Every rule uses it as `now`; in TEST mode by the
 * organisation's test clock.
 */
export type CreateRequest = Omit<CheckRequest, 'now'> & {
  readonly idempotencyKey: string;
  /** SHA-256 over every field and the bytes of the image. */
  readonly fingerprint: Buffer;
};

export type CreateRefusal = CheckRefusal | KeyRefusal;

export type CreateOutcome = Outcome<CreateReply | CreateGroupReply, CreateRefusal>;

/** @throws the 503 fault before any work if the organisation has too many creations running */
export async function createOffer(o: OffersContext, request: CreateRequest): Promise<CreateOutcome> {
  return o.creations.run(semaphoreKeyOf(request), () =>
    withKey(o, request, (hold, creation) => proceed(o, request, hold, creation)),
  );
}

/** The limits of running creations hold per organisation and mode. */
function semaphoreKeyOf({ caller }: CreateRequest): string {
  return `${caller.organisationId}/${caller.mode}`;
}

/** Continues the creation from its recovery point to its end. */
async function proceed(
  o: OffersContext,
  request: CreateRequest,
  hold: Hold,
  creation: Creation,
): Promise<CreateOutcome> {
  switch (creation.recoveryPoint) {
    case 'received': {
      // Read once the key is claimed, so that a reset of the test clock sees this creation or is seen by it.
      const now = await nowForCreation(o.postgres, request.caller, request.receivedAt);
      // Stops the checks if the caller disconnects; a retry with the key continues from here, as after a 503.
      const checked = await checkCreation(o, { ...request, now, deadline: request.deadline.whileAwaited() });
      if (!checked.ok) {
        await freeKey(o.postgres, hold);
        return checked;
      }
      request.deadline.whileAwaited().stopIfGone();
      const reserved = await o.reservations.run(
        semaphoreKeyOf(request),
        () => reserve(o, request, now, hold, checked.checks),
        request.deadline,
      );
      return reserved.ok ? charge(o, request, hold, reserved.offers) : reserved;
    }
    case 'charging': {
      const offers = await findReservations(o.postgres, hold, creation.offerId);
      return charge(o, request, hold, offers);
    }
  }
}

type Reserved = { readonly ok: true; readonly offers: Reservations } | Refused<CreateRefusal>;

/** received -> charging: checks the quota again, under its lock. The offers then exist, hidden, with their final ids. */
async function reserve(
  o: OffersContext,
  { caller, form, deadline }: CreateRequest,
  now: Date,
  hold: Hold,
  checks: Checks,
): Promise<Reserved> {
  const { organisationId, mode, personId: createdBy, tradingName, country, currency, keyId } = caller;
  const facts = { organisationId, mode, createdBy, tradingName, country, currency, createdAt: now };
  const reservation = {
    offers: checks.map((check, index) => ({ ...(form.offers[index] ?? form.offers[0]), ...facts, ...check })),
    isGroup: form.isGroup,
    facts,
    keyId,
  };
  const quota = quotaOf(o, caller);
  const wanted = { mode, netMinor: checks.map(({ netMinor }) => netMinor) };
  const limits = limitsFor(quota, wanted);
  const { offers, inUse } = await reserveOffers(o.postgres, hold, reservation, limits, deadline);
  if (offers !== null) return { ok: true, offers };
  const refusal = checkQuota(quota, inUse, wanted);
  if (refusal === null) throw new HoldLost();
  await freeKey(o.postgres, hold);
  return refused(refusal);
}

/** charging -> finished. If billing refuses, the ids are closed and the key is free again. */
async function charge(
  o: OffersContext,
  request: CreateRequest,
  hold: Hold,
  offers: Reservations,
): Promise<CreateOutcome> {
  const answer = await askBilling(o, request, offers);
  const finish = async (billed: Billed): Promise<CreateOutcome> => {
    const reply = await finishCreation(o, hold, offers, billed, request.receivedAt);
    return { ok: true, reply, replayed: false };
  };
  if (answer.ok) return finish(answer.billed);
  // An earlier attempt may still run at billing and charge after this refusal; once the charge is resolved, it cannot.
  const billed = await resolveCharge(o, request, offers);
  if (billed !== null) return finish(billed);
  await dropCreation(o, hold, offers);
  return answer;
}

async function askBilling(
  o: OffersContext,
  call: CallContext,
  offers: Reservations,
): Promise<{ readonly ok: true; readonly billed: Billed } | Refused<CreateRefusal>> {
  const [{ paymentMethod, currency }] = offers;
  // `B` is the prepaid balance, `E` a payment link.
  const answer = await (paymentMethod === 'B'
    ? o.otherServices.charge(call, offers)
    : o.otherServices.openCheckout(call, offers));
  const netMinor = sum(offers.map((offer) => offer.netMinor));
  switch (answer.outcome) {
    case 'charged':
      // No VAT: the top-up of the balance was taxed (decision 13, VAT).
      return { ok: true, billed: { paymentUrl: null, vatMinor: 0n, paidAt: new Date(answer.chargedAt) } };
    case 'opened': {
      const { paymentUrl, vatMinor } = answer;
      return { ok: true, billed: { paymentUrl, vatMinor: BigInt(vatMinor), paidAt: null } };
    }
    case 'refused':
      switch (answer.reason) {
        case 'balance-too-low':
          return refused({ reason: 'balance-too-low', netMinor, currency });
        case 'may-not-spend':
          return refused({ reason: 'may-not-spend' });
        case 'above-limit':
          if (answer.exceeded === undefined) throw new Error('billing named no limit');
          return refused(aboveLimit(call.caller, answer.exceeded));
        case 'below-minimum':
          return refused({
            reason: 'below-minimum',
            minimumMinor: BigInt(answer.minimumMinor ?? 0),
            currency,
          });
        case 'above-maximum':
          return refused({ reason: 'above-maximum', maximumMinor: cardMaximumMinor(currency), currency });
        // An earlier process closed the id, so it is never charged, and died before it freed the key. The caller retries and starts again.
        case 'closed':
          return refused({ reason: 'in-flight' });
      }
  }
}
