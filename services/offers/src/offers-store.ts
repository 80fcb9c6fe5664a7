/** The SQL of offers: converts rows to domain values and back. Queries for a caller always filter by organisation and mode. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Postgres, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Offer, Stop } from './domain/offer.ts';
import type { OfferNews } from './lifecycle/offer-events.ts';
import { isLiveSql } from './status-sql.ts';

/** The organisation and mode of an offer. */
export type Owner = { readonly organisationId: number; readonly mode: Mode };
export type OfferReference = Owner & { readonly offerId: number };

/** The result of a decision about a locked offer: the changed offer with its events, or a refusal. */
export type Change<Refusal extends string> =
  | { readonly ok: true; readonly offer: Offer; readonly news: readonly OfferNews[] }
  | { readonly ok: false; readonly reason: Refusal };

type NotFound = { readonly ok: false; readonly reason: 'not-found' };

/**
 * Locks the caller's offer, calls `decide`, and writes the row and its events in one transaction; returns the decision.
 * @param deadline nothing is changed after it
 */
export async function updateOffer<C extends Change<string>>(
  postgres: Postgres,
  reference: OfferReference,
  decide: (offer: Offer) => C,
  deadline?: Deadline,
): Promise<C | NotFound> {
  return postgres.transaction(async (tx) => {
    const [row] = await tx.query<OfferRow>(
      `SELECT * FROM offers
       WHERE offer_id = $1 AND organisation_id = $2 AND mode = $3 AND shown_at IS NOT NULL FOR UPDATE`,
      [reference.offerId, reference.organisationId, reference.mode],
    );
    return row === undefined ? { ok: false, reason: 'not-found' } : applyChange(tx, decide(toOffer(row)));
  }, deadline);
}

/** For changes by the system itself, including reservations: payments and the end of a creation. */
export async function lockOffer(tx: Transaction, offerId: number): Promise<Offer | null> {
  const [row] = await tx.query<OfferRow>('SELECT * FROM offers WHERE offer_id = $1 FOR UPDATE', [offerId]);
  return row === undefined ? null : toOffer(row);
}

/**
 * Applies a decision to offers that are due, each once over all replicas: rows that another replica has locked are skipped, and a changed
 * row is no longer due.
 * @returns how many were changed
 */
export async function changeDueOffers(
  postgres: Postgres,
  due: 'to-activate' | 'to-end',
  o: { now: Date; atMost: number },
  decide: (offer: Offer) => Change<'not-due'>,
): Promise<number> {
  return postgres.transaction(async (tx) => {
    const rows = await tx.query<OfferRow>(
      `SELECT * FROM offers WHERE ${dueConditions[due]} LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [o.now, o.atMost],
    );
    let changed = 0;
    for (const row of rows) changed += (await applyChange(tx, decide(toOffer(row)))).ok ? 1 : 0;
    return changed;
  });
}

/** Without reading an offer. */
export async function countLive(
  db: Queryable,
  now: Date,
  atMost: number,
): Promise<ReadonlyMap<Mode, number>> {
  const rows = await db.query<{ mode: Mode; count: number }>(
    `SELECT mode, count(*)::integer AS count FROM (
       SELECT mode FROM offers
       WHERE ${isLiveSql('$1')} LIMIT $2
     ) AS live GROUP BY mode`,
    [now, atMost],
  );
  return new Map(rows.map(({ mode, count }) => [mode, count]));
}

const dueConditions = {
  'to-activate': `activated_told_at IS NULL AND ${isLiveSql('$1')}`,
  // An offer deleted before its expiry never ends.
  'to-end': `ended_told_at IS NULL AND shown_at IS NOT NULL AND expiry_at <= $1
    AND (deleted_at IS NULL OR deleted_at >= expiry_at)`,
};

/** Writes the changed offer and its events; each event gets the next version of the offer. */
export async function saveOffer(tx: Transaction, offer: Offer, news: readonly OfferNews[]): Promise<void> {
  const events = news.map((item, index) =>
    newEvent(item.declaration, {
      subject: `offer/${offer.offerId}`,
      subjectVersion: offer.version + index + 1,
      at: item.at,
      data: item.data,
    }),
  );
  await tx.query(
    `UPDATE offers SET vat_minor = $2, payment_url = $3, paid_at = $4, payment_applied_at = $5, shown_at = $6,
       paused_since = $7, disabled_since = $8, stops = $9, deleting_since = $10, deleted_at = $11,
       activated_told_at = $12, ended_told_at = $13, version = $14, deletions = $15, kept_deletion = $16,
       keeping_since = $17
     WHERE offer_id = $1`,
    [
      offer.offerId,
      offer.vatMinor,
      offer.paymentUrl,
      offer.paidAt,
      offer.paymentAppliedAt,
      offer.shownAt,
      offer.pausedSince,
      offer.disabledSince,
      JSON.stringify(offer.stops),
      offer.deletingSince,
      offer.deletedAt,
      offer.activatedToldAt,
      offer.endedToldAt,
      offer.version + events.length,
      offer.deletions,
      offer.keptDeletion,
      offer.keepingSince,
    ],
  );
  await addToOutbox(tx, events);
}

async function applyChange<C extends Change<string>>(tx: Transaction, change: C): Promise<C> {
  if (change.ok) await saveOffer(tx, change.offer, change.news);
  return change;
}

export async function findOffer(db: Queryable, reference: OfferReference): Promise<Offer | null> {
  const [row] = await db.query<OfferRow>(
    `SELECT * FROM offers
     WHERE offer_id = $1 AND organisation_id = $2 AND mode = $3 AND shown_at IS NOT NULL AND deleted_at IS NULL`,
    [reference.offerId, reference.organisationId, reference.mode],
  );
  return row === undefined ? null : toOffer(row);
}

/** For the platform's admins, who also see deleted offers. */
export async function findOfferForAdmin(db: Queryable, offerId: number): Promise<Offer | null> {
  const [row] = await db.query<OfferRow>(
    'SELECT * FROM offers WHERE offer_id = $1 AND shown_at IS NOT NULL',
    [offerId],
  );
  return row === undefined ? null : toOffer(row);
}

/** One page of all offers, including reservations and deleted ones, by id. */
export async function listOffers(db: Queryable, o: { after: number; limit: number }): Promise<Offer[]> {
  const rows = await db.query<OfferRow>(
    'SELECT * FROM offers WHERE offer_id > $1 ORDER BY offer_id LIMIT $2',
    [o.after, o.limit],
  );
  return rows.map(toOffer);
}

/**
 * Deletions that began before the first instant and did not finish. Also those that began after the second one: a clock ran ahead when they
 * began.
 */
export async function findStrandedDeletions(
  db: Queryable,
  o: { before: Date; orAfter: Date; atMost: number },
): Promise<Offer[]> {
  const rows = await db.query<OfferRow>(
    'SELECT * FROM offers WHERE deleting_since < $1 OR deleting_since > $2 ORDER BY deleting_since LIMIT $3',
    [o.before, o.orAfter, o.atMost],
  );
  return rows.map(toOffer);
}

/** Offers whose page stays open and for which billing must still be told so. */
export async function findPagesToKeep(db: Queryable, atMost: number): Promise<Offer[]> {
  const rows = await db.query<OfferRow>(
    'SELECT * FROM offers WHERE keeping_since IS NOT NULL ORDER BY keeping_since LIMIT $1',
    [atMost],
  );
  return rows.map(toOffer);
}

/** A row of the table, as the driver returns it. */
export type OfferRow = {
  offer_id: number;
  organisation_id: number;
  mode: Mode;
  created_by: number | null;
  trading_name: string;
  country: string;
  currency: string;
  category_id: number;
  title: string;
  description: string;
  terms_and_conditions: string;
  advertised_name: string | null;
  url: string;
  image: string;
  latitude: number;
  longitude: number;
  radius_miles: number;
  gender: Offer['gender'];
  interests: number[];
  created_at: Date;
  start_at: Date;
  expiry_at: Date;
  payment_method: Offer['paymentMethod'];
  net_minor: bigint;
  vat_minor: bigint;
  payment_url: string | null;
  paid_at: Date | null;
  payment_applied_at: Date | null;
  shown_at: Date | null;
  paused_since: Date | null;
  disabled_since: Date | null;
  stops: { from: string; to: string }[];
  deleting_since: Date | null;
  deletions: number;
  kept_deletion: number | null;
  keeping_since: Date | null;
  deleted_at: Date | null;
  activated_told_at: Date | null;
  ended_told_at: Date | null;
  version: number;
};

export function toOffer(row: OfferRow): Offer {
  return {
    offerId: row.offer_id,
    organisationId: row.organisation_id,
    mode: row.mode,
    createdBy: row.created_by,
    tradingName: row.trading_name,
    country: row.country,
    currency: row.currency,
    categoryId: row.category_id,
    title: row.title,
    description: row.description,
    termsAndConditions: row.terms_and_conditions,
    advertisedName: row.advertised_name,
    url: row.url,
    image: row.image,
    latitude: row.latitude,
    longitude: row.longitude,
    radiusMiles: row.radius_miles,
    gender: row.gender,
    interests: row.interests,
    createdAt: row.created_at,
    startAt: row.start_at,
    expiryAt: row.expiry_at,
    paymentMethod: row.payment_method,
    netMinor: row.net_minor,
    vatMinor: row.vat_minor,
    paymentUrl: row.payment_url,
    paidAt: row.paid_at,
    paymentAppliedAt: row.payment_applied_at,
    shownAt: row.shown_at,
    pausedSince: row.paused_since,
    disabledSince: row.disabled_since,
    stops: row.stops.map(toStop),
    deletingSince: row.deleting_since,
    deletions: row.deletions,
    keptDeletion: row.kept_deletion,
    keepingSince: row.keeping_since,
    deletedAt: row.deleted_at,
    activatedToldAt: row.activated_told_at,
    endedToldAt: row.ended_told_at,
    version: row.version,
  };
}

function toStop(stop: { from: string; to: string }): Stop {
  return { from: new Date(stop.from), to: new Date(stop.to) };
}
