/** The SQL of reservations: the hidden offers of unfinished creations, and the quota that counts them. */
import type { CreateReply } from '@offer-ads/contracts/public/api';
import type { CreateGroupReply } from '@offer-ads/contracts/public/groups-api';
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
import { creationNoted } from '../lifecycle/changes-store.ts';
import type { OfferEvent } from '../lifecycle/offer-events.ts';
import { changesOf, changingFacts, columnOf, type OfferRow, type Owner, toOffer } from '../offers-store.ts';
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
  'placeLabel',
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
const reservedColumns = reservedFacts.map(columnOf);
const allColumns = ['offer_id, group_id', ...reservedColumns, ...changingFacts.map(columnOf)].join(', ');

/** What is reserved. Not visible to anyone yet. */
export type Reservation = {
  /** In the order of the places, with the offer of which each has the picture. */
  readonly offers: readonly (Pick<Offer, (typeof reservedFacts)[number]> & {
    readonly imageOfferId: number | null;
  })[];
  readonly isGroup: boolean;
  /** What all have in common. */
  readonly facts: Pick<Offer, 'createdBy' | 'createdAt'>;
  readonly keyId: number | null;
};

/** The hidden offers of a creation: one, or those of a group in the order of its places. */
export type Reservations = readonly [Offer, ...Offer[]];

const reserveStatement: PreparedStatement = {
  name: 'reserve-offers',
  sql: `WITH picture AS MATERIALIZED (
          SELECT FROM images WHERE name = ANY ($5) AND retired_at IS NULL FOR SHARE
        ), in_use AS MATERIALIZED (
          SELECT * FROM lock_offers_in_use($1, $2, $6, $7, $8)
        ), charging AS (
          UPDATE idempotency_keys SET recovery_point = 'charging', offer_id = nextval('offers_offer_id_seq')
            FROM in_use
           WHERE ${thisHold} AND (SELECT count(*) FROM picture) = cardinality($5) AND of_person < $9 AND of_organisation < $10
             AND ($11::integer IS NULL OR free_today < $11)
          RETURNING offer_id
        ), grouped AS (
          INSERT INTO offer_groups (organisation_id, mode) SELECT $1, $2 FROM charging WHERE $12 RETURNING group_id
        ), reserved AS (
          INSERT INTO offers (offer_id, group_id, ${reservedColumns.join(', ')}) OVERRIDING SYSTEM VALUE
          SELECT CASE given.ordinality WHEN 1 THEN charging.offer_id ELSE nextval('offers_offer_id_seq') END, grouped.group_id,
            ${reservedColumns.map((column) => `given.${column}`).join(', ')}
          FROM charging LEFT JOIN grouped ON true, json_populate_recordset(NULL::offers, $13) WITH ORDINALITY AS given
          RETURNING ${allColumns}
        ), noted AS (
          ${creationNoted('reserved', { imageOfferIds: '$14', personId: '$6', keyId: '$15' })}
        )
        SELECT of_organisation, of_person, free_today, reserved.* FROM in_use LEFT JOIN reserved ON true ORDER BY offer_id`,
};

/**
 * received -> charging, if the quota has room for all: counts under the lock of the quota, for which other creations of the organisation and
 * mode wait until the commit. Locks the picture, so that it is not retired meanwhile. The ids are never used by other offers.
 * @param deadline nothing is changed after it
 * @returns the counts without these reservations. The offers are null, and nothing was changed, if a count has reached its limit, or another
 * request holds the key, or the picture was retired
 */
export async function reserveOffers(
  postgres: Postgres,
  hold: Hold,
  reservation: Reservation,
  limits: QuotaLimits,
  deadline: Deadline,
): Promise<{ readonly inUse: OffersInUse; readonly offers: Reservations | null }> {
  const { offers, isGroup, facts, keyId } = reservation;
  const { createdBy, createdAt } = facts;
  const values = [
    ...holdValues(hold),
    [...new Set(offers.map(({ image }) => image))],
    createdBy,
    createdAt,
    dayOf(createdAt),
    limits.ofPerson,
    limits.ofOrganisation,
    limits.freeToday,
    isGroup,
    JSON.stringify(offers.map((offer) => rowOf(offer, reservedFacts))),
    [...new Set(offers.flatMap(({ imageOfferId }) => imageOfferId ?? []))],
    keyId,
  ];
  const rows = await postgres.transaction(
    (tx) => tx.query<OfferRow & InUseRow>(reserveStatement, values),
    deadline,
  );
  const [counts] = rows;
  if (counts === undefined) throw new Error('offers in use were not counted');
  const reserved = rows.flatMap((row) => {
    const { of_organisation: _organisation, of_person: _person, free_today: _free, ...offer } = row;
    return offer['offer_id'] === null ? [] : [toOffer(offer)];
  });
  return { inUse: toOffersInUse(counts), offers: isSome(reserved) ? reserved : null };
}

/**
 * @param offerId of the offer, of a group its first
 * @throws {HoldLost}
 */
export async function findReservations(db: Queryable, hold: Hold, offerId: number): Promise<Reservations> {
  const rows = await db.query<OfferRow>(
    `SELECT offers.* FROM idempotency_keys JOIN offers USING (organisation_id, mode)
     WHERE ${thisHold} AND idempotency_keys.offer_id = $5 AND shown_at IS NULL
       AND offers.offer_id IN (SELECT $5 UNION ALL SELECT other.offer_id FROM offers AS first
         JOIN offers AS other USING (group_id) WHERE first.offer_id = $5)
     ORDER BY offers.offer_id`,
    [...holdValues(hold), offerId],
  );
  const offers = rows.map(toOffer);
  if (!isSome(offers)) throw new HoldLost();
  return offers;
}

function isSome(offers: readonly Offer[]): offers is Reservations {
  return offers.length > 0;
}

/** An SQLSTATE from a class that the standard reserves for applications. */
const CHANGED = 'OA001';

const finishStatement: PreparedStatement = {
  name: 'finish-creation',
  sql: `WITH finished AS (
          UPDATE idempotency_keys SET recovery_point = 'finished', reply = $5 WHERE ${thisHold} RETURNING 1
        ), shown AS (
          UPDATE offers SET ${changingFacts.map((fact) => `${columnOf(fact)} = changed.${columnOf(fact)}`).join(', ')}
            FROM finished, json_populate_recordset(NULL::offers, $6) AS changed
           WHERE offers.offer_id = changed.offer_id AND offers.shown_at IS NULL
             AND offers.paid_at IS NOT DISTINCT FROM ($7::json ->> changed.offer_id::text)::timestamptz
          RETURNING 1
        ), all_shown AS (
          SELECT 1 AS done FROM shown HAVING count(*) = json_array_length($6)
        ), written AS (
          INSERT INTO outbox (event) ${eventsOf('$8', 'all_shown')}
        )
        SELECT FROM finished LEFT JOIN all_shown ON true
         WHERE CASE WHEN done IS NULL THEN abort_statement('${CHANGED}') ELSE true END`,
};

/**
 * charging -> finished: shows all offers of the creation, stores the reply for replays and writes the events.
 * @param finished the reservations as they were read, which only payments change, and the offers that they become
 * @returns false if a reservation has changed since, so that nothing was done
 * @throws {HoldLost}
 */
export async function finishReservations(
  postgres: Postgres,
  hold: Hold,
  finished: {
    readonly reservations: Reservations;
    readonly shown: readonly {
      readonly offer: Offer;
      readonly events: readonly OfferEvent[];
    }[];
    /** The real time. */
    readonly at: Date;
    readonly reply: CreateReply | CreateGroupReply;
  },
): Promise<boolean> {
  const { reservations, shown, at, reply } = finished;
  const changes = shown.map(({ offer, events }) => changesOf(offer, events, at));
  try {
    const done = await postgres.query(finishStatement, [
      ...holdValues(hold),
      JSON.stringify(reply),
      JSON.stringify(changes.map(({ changed }) => rowOf(changed, ['offerId', ...changingFacts]))),
      JSON.stringify(Object.fromEntries(reservations.map(({ offerId, paidAt }) => [offerId, paidAt]))),
      JSON.stringify(changes.flatMap(({ outgoing }) => outgoing)),
    ]);
    if (done.length === 0) throw new HoldLost();
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === CHANGED) return false;
    throw error;
  }
  tellOutbox(postgres);
  return true;
}

/** The columns of these facts, for JSON. */
function rowOf<Fact extends keyof Offer>(offer: Pick<Offer, Fact>, facts: readonly Fact[]): object {
  const columns = facts.map((fact) => {
    const value = offer[fact];
    return [columnOf(fact), typeof value === 'bigint' ? `${value}` : value];
  });
  return Object.fromEntries(columns);
}

/** Deletes reservations only: an offer that was shown is never removed from the table. */
export async function dropReservations(tx: Transaction, offers: Reservations): Promise<void> {
  await tx.query('DELETE FROM offers WHERE offer_id = ANY ($1) AND shown_at IS NULL', [
    offers.map(({ offerId }) => offerId),
  ]);
  const { groupId } = offers[0];
  if (groupId !== null) await tx.query('DELETE FROM offer_groups WHERE group_id = $1', [groupId]);
}

type Asked = Owner & {
  readonly personId: number | null;
  readonly now: Date;
  readonly categoryIds: readonly number[];
  readonly interests: readonly number[];
};

const factsStatement: PreparedStatement = {
  name: 'facts-for-creation',
  sql: `SELECT of_organisation, of_person, free_today,
          ARRAY (SELECT category_id FROM categories WHERE category_id = ANY ($6::integer[]) AND ${isCategoryFor('$1')}) AS categories_known,
          ARRAY (SELECT interest_id FROM interests WHERE interest_id = ANY ($7::integer[]) AND active) AS interests_known
        FROM offers_in_use($1, $2, $3, $4, $5)`,
};

/** What the database knows for the checks of a creation. The count takes no lock, so it can be outdated a moment later. */
export async function factsForCreation(
  db: Queryable,
  { organisationId, mode, personId, now, categoryIds, interests }: Asked,
): Promise<{
  readonly inUse: OffersInUse;
  readonly knownCategories: ReadonlySet<number>;
  readonly knownInterests: ReadonlySet<number>;
}> {
  const [row] = await db.query<InUseRow & { categories_known: number[]; interests_known: number[] }>(
    factsStatement,
    [organisationId, mode, personId, now, dayOf(now), categoryIds, interests],
  );
  if (row === undefined) throw new Error('offers in use were not counted');
  return {
    inUse: toOffersInUse(row),
    knownCategories: new Set(row.categories_known),
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
