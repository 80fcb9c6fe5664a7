/** The SQL of reservations: the hidden offers of unfinished creations, and the quota that counts them. */
import type { CreateReply } from '@offer-ads/contracts/public/api';
import { offerTextFacts } from '@offer-ads/contracts/values/offer-texts';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { eventsOf, tellOutbox } from '@offer-ads/platform/messaging/outbox';
import {
  type Postgres,
  type PreparedStatement,
  type Queryable,
  type Transaction,
} from '@offer-ads/platform/postgres/postgres';
import { isCategoryFor } from '../catalogue-store.ts';
import { dayOf, type OffersInUse, type QuotaLimits } from '../domain/creation/quota.ts';
import type { Offer } from '../domain/offer.ts';
import type { OfferEvent } from '../lifecycle/offer-events.ts';
import {
  assignmentsFrom,
  changesOf,
  changingFacts,
  columnOf,
  type OfferRow,
  type Owner,
  toOffer,
} from '../offers-store.ts';
import { type Hold, HoldLost, holdValues, thisHold } from './idempotency-store.ts';

const reservedFacts = [
  'organisationId',
  'mode',
  'createdBy',
  'tradingName',
  'country',
  'currency',
  'categoryId',
  ...offerTextFacts,
  'url',
  'image',
  'latitude',
  'longitude',
  'radiusMiles',
  'gender',
  'interests',
  'createdAt',
  'startAt',
  'expiryAt',
  'paymentMethod',
  'netMinor',
  'matchingUsers',
] as const satisfies readonly (keyof Offer)[];
const reservedColumns = reservedFacts.map(columnOf).join(', ');
const allColumns = ['offer_id', reservedColumns, ...changingFacts.map(columnOf)].join(', ');

/** The content of a reservation: the offer with its price, not visible to anyone yet. */
export type Reservation = Pick<Offer, (typeof reservedFacts)[number]>;

const reserveStatement: PreparedStatement = {
  name: 'reserve-offer',
  sql: `WITH picture AS MATERIALIZED (
          SELECT FROM images WHERE name = $5 AND retired_at IS NULL FOR SHARE
        ), in_use AS MATERIALIZED (
          SELECT * FROM lock_offers_in_use($1, $2, $6, $7, $8)
        ), charging AS (
          UPDATE idempotency_keys SET recovery_point = 'charging', offer_id = nextval('offers_offer_id_seq')
            FROM picture, in_use
           WHERE ${thisHold} AND of_person < $9 AND of_organisation < $10
             AND ($11::integer IS NULL OR free_today < $11)
          RETURNING offer_id
        ), reserved AS (
          INSERT INTO offers (offer_id, ${reservedColumns}) OVERRIDING SYSTEM VALUE
          SELECT offer_id, ${reservedFacts.map((_, index) => `$${index + 12}`).join(', ')} FROM charging
          RETURNING ${allColumns}
        )
        SELECT of_organisation, of_person, free_today, reserved.* FROM in_use LEFT JOIN reserved ON true`,
};

/**
 * received -> charging, if the quota has room: counts under the lock of the quota, for which other creations of the organisation and mode
 * wait until the commit. Locks the picture, so that it is not retired meanwhile. The offer's id is never used by another offer.
 * @param deadline nothing is changed after it
 * @returns the counts without this reservation. The offer is null, and nothing was changed, if a count has reached its limit, or another
 * request holds the key, or the picture was retired
 */
export async function reserveOffer(
  postgres: Postgres,
  hold: Hold,
  reservation: Reservation,
  limits: QuotaLimits,
  deadline: Deadline,
): Promise<{ readonly inUse: OffersInUse; readonly offer: Offer | null }> {
  const { image, createdBy, createdAt } = reservation;
  const values = [
    ...holdValues(hold),
    image,
    createdBy,
    createdAt,
    dayOf(createdAt),
    limits.ofPerson,
    limits.ofOrganisation,
    limits.freeToday,
    ...reservedFacts.map((fact) => reservation[fact]),
  ];
  const [row] = await postgres.transaction(
    (tx) => tx.query<OfferRow & InUseRow>(reserveStatement, values),
    deadline,
  );
  if (row === undefined) throw new Error('offers in use were not counted');
  const { of_organisation, of_person, free_today, ...reserved } = row;
  const inUse = toOffersInUse({ of_organisation, of_person, free_today });
  return { inUse, offer: reserved['offer_id'] === null ? null : toOffer(reserved) };
}

/** @throws {HoldLost} */
export async function findReservation(db: Queryable, hold: Hold, offerId: number): Promise<Offer> {
  const [row] = await db.query<OfferRow>(
    `SELECT offers.* FROM offers JOIN idempotency_keys USING (offer_id, organisation_id, mode)
     WHERE ${thisHold} AND offer_id = $5 AND shown_at IS NULL`,
    [...holdValues(hold), offerId],
  );
  if (row === undefined) throw new HoldLost();
  return toOffer(row);
}

/** An SQLSTATE from a class that the standard reserves for applications. */
const CHANGED = 'OA001';

const finishStatement: PreparedStatement = {
  name: 'finish-creation',
  sql: `WITH finished AS (
          UPDATE idempotency_keys SET recovery_point = 'finished', reply = $5 WHERE ${thisHold} RETURNING offer_id
        ), shown AS (
          UPDATE offers SET ${assignmentsFrom(8)} FROM finished
           WHERE offers.offer_id = finished.offer_id AND shown_at IS NULL AND paid_at IS NOT DISTINCT FROM $6
          RETURNING 1 AS done
        ), written AS (
          INSERT INTO outbox (event) ${eventsOf('$7', 'shown')}
        )
        SELECT FROM finished LEFT JOIN shown ON true
         WHERE CASE WHEN done IS NULL THEN abort_statement('${CHANGED}') ELSE true END`,
};

/**
 * charging -> finished: shows the offer, stores the reply for replays and writes the events.
 * @param reservation as it was read; only a payment changes it
 * @returns false if the reservation has changed since, so that nothing was done
 * @throws {HoldLost}
 */
export async function finishReservation(
  postgres: Postgres,
  hold: Hold,
  reservation: Offer,
  finished: {
    readonly offer: Offer;
    readonly events: readonly OfferEvent[];
    /** The real time. */
    readonly at: Date;
    readonly reply: CreateReply;
  },
): Promise<boolean> {
  const { values, outgoing } = changesOf(finished.offer, finished.events, finished.at);
  const reply = JSON.stringify(finished.reply);
  try {
    const done = await postgres.query(finishStatement, [
      ...holdValues(hold),
      reply,
      reservation.paidAt,
      outgoing,
      ...values,
    ]);
    if (done.length === 0) throw new HoldLost();
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === CHANGED) return false;
    throw error;
  }
  tellOutbox(postgres);
  return true;
}

/** Deletes reservations only: an offer that was shown is never removed from the table. */
export async function dropReservation(tx: Transaction, offerId: number): Promise<void> {
  await tx.query('DELETE FROM offers WHERE offer_id = $1 AND shown_at IS NULL', [offerId]);
}

type Asked = Owner & {
  readonly personId: number | null;
  readonly now: Date;
  readonly categoryId: number;
  readonly interests: readonly number[];
};

const factsStatement: PreparedStatement = {
  name: 'facts-for-creation',
  sql: `SELECT of_organisation, of_person, free_today,
          EXISTS (SELECT FROM categories WHERE category_id = $6 AND ${isCategoryFor('$1')}) AS category_known,
          ARRAY (SELECT interest_id FROM interests WHERE interest_id = ANY ($7::integer[]) AND active) AS interests_known
        FROM offers_in_use($1, $2, $3, $4, $5)`,
};

/** What the database knows for the checks of a creation. The count takes no lock, so it can be outdated a moment later. */
export async function factsForCreation(
  db: Queryable,
  { organisationId, mode, personId, now, categoryId, interests }: Asked,
): Promise<{
  readonly inUse: OffersInUse;
  readonly isCategoryKnown: boolean;
  readonly knownInterests: ReadonlySet<number>;
}> {
  const [row] = await db.query<InUseRow & { category_known: boolean; interests_known: number[] }>(
    factsStatement,
    [organisationId, mode, personId, now, dayOf(now), categoryId, interests],
  );
  if (row === undefined) throw new Error('offers in use were not counted');
  return {
    inUse: toOffersInUse(row),
    isCategoryKnown: row.category_known,
    knownInterests: new Set(row.interests_known),
  };
}

type InUseRow = {
  readonly of_organisation: number;
  readonly of_person: number;
  readonly free_today: number;
};

function toOffersInUse({ of_organisation, of_person, free_today }: InUseRow): OffersInUse {
  return { ofOrganisation: of_organisation, ofPerson: of_person, freeToday: free_today };
}
