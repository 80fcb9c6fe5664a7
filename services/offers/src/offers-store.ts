/** The SQL of offers: converts rows to domain values and back. Queries for a caller always filter by organisation and mode. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { eventsOf, tellOutbox } from '@offer-ads/platform/messaging/outbox';
import type {
  Postgres,
  PreparedStatement,
  Queryable,
  Transaction,
} from '@offer-ads/platform/postgres/postgres';
import { editableFacts } from './domain/lifecycle/edit-content.ts';
import type { Offer, Stop } from './domain/offer.ts';
import { findExtended } from './lifecycle/changes-store.ts';
import type { OfferEvent } from './lifecycle/offer-events.ts';
import {
  endIsDueSql,
  endsOnceSql,
  endsSoonOnceSql,
  endsSoonSql,
  isLastDaySql,
  isLiveSql,
  isRunningSql,
  momentSql,
  movedOnSql,
  waitsForReviewSql,
  withClockSql,
} from './status-sql.ts';
import { nowIn, offerTimeOf } from './test-clock/test-clock-store.ts';

/** The organisation and mode of an offer. */
export type Owner = { readonly organisationId: number; readonly mode: Mode };
export type OfferReference = Owner & { readonly offerId: number };

/** The offer of a reference, which `referenceValues` gives as the first parameters. Reservations are hidden. */
export const thisOffer = 'offer_id = $1 AND organisation_id = $2 AND mode = $3 AND shown_at IS NOT NULL';

export function referenceValues({ offerId, organisationId, mode }: OfferReference): readonly unknown[] {
  return [offerId, organisationId, mode];
}

/** The offers that fulfil a condition. */
export async function findOffers(
  db: Queryable,
  condition: string,
  values: readonly unknown[],
): Promise<Offer[]> {
  const rows = await db.query<OfferRow>(`SELECT * FROM offers WHERE ${condition}`, values);
  return rows.map(toOffer);
}

/** The result of a decision about a locked offer: the changed offer with its events, or a refusal. */
export type Change<Refusal extends string> =
  | { readonly ok: true; readonly offer: Offer; readonly events: readonly OfferEvent[] }
  | { readonly ok: false; readonly reason: Refusal };

type NotFound = { readonly ok: false; readonly reason: 'not-found' };

/**
 * Locks the caller's offer, calls `decide`, and writes the row and its events in one transaction; returns the decision.
 * @param now the real time. `decide` gets the offer's time, read under the lock: so an advance of the test clock, whose announcements take
 * the lock too, is either before the decision or after it
 * @param deadline nothing is changed after it
 * @param alongside writes more in the same transaction, once the change is allowed
 */
export async function updateOffer<C extends Change<string>>(
  postgres: Postgres,
  reference: OfferReference,
  now: Date,
  decide: (offer: Offer, now: Date) => C,
  deadline?: Deadline,
  alongside: (tx: Transaction, change: Extract<C, { readonly ok: true }>) => Promise<void> = async () => {},
): Promise<C | NotFound> {
  return postgres.transaction(async (tx) => {
    const [offer] = await findOffers(tx, `${thisOffer} FOR UPDATE`, referenceValues(reference));
    if (offer === undefined) return { ok: false, reason: 'not-found' };
    const change = decide(offer, await nowIn(tx, reference, now));
    if (isAllowed(change)) await alongside(tx, change);
    return applyChange(tx, change, now);
  }, deadline);
}

/** Shown offers of one owner that are changed together, as SQL; the first parameter is the id. */
export type Together = Owner & { readonly id: number; readonly condition: string };

export function alone(reference: OfferReference): Together {
  return { ...ownerOf(reference), id: reference.offerId, condition: 'offer_id = $1' };
}

/** The offer of a reference, and all others of its group. */
export function paidTogether(reference: OfferReference): Together {
  const condition = `offer_id IN (
    SELECT $1::integer UNION ALL SELECT other.offer_id FROM offers AS own JOIN offers AS other USING (group_id) WHERE own.offer_id = $1)`;
  return { ...alone(reference), condition };
}

export function ofGroup(owner: Owner, groupId: number): Together {
  return { ...ownerOf(owner), id: groupId, condition: 'group_id = $1' };
}

const ownerOf = ({ organisationId, mode }: Owner): Owner => ({ organisationId, mode });

/** Also deleted ones, by their ids. */
export function findTogether(
  db: Queryable,
  { organisationId, mode, id, condition }: Together,
  lock: '' | 'FOR UPDATE' = '',
): Promise<Offer[]> {
  const all = `${condition} AND organisation_id = $2 AND mode = $3 AND shown_at IS NOT NULL ORDER BY offer_id ${lock}`;
  return findOffers(db, all, [id, organisationId, mode]);
}

type ManyChanged = { readonly offer: Offer; readonly events: readonly OfferEvent[] }[];

/** `updateOffer` for several offers: `decide` gets them locked, also deleted ones, and says which are changed. All are changed or none is. */
export async function updateTogether<
  C extends
    | { readonly ok: true; readonly changes: Readonly<ManyChanged> }
    | { readonly ok: false; readonly reason: string },
>(
  postgres: Postgres,
  together: Together,
  now: Date,
  decide: (offers: readonly Offer[], now: Date) => C,
  deadline?: Deadline,
  alongside: (tx: Transaction, change: Extract<C, { readonly ok: true }>) => Promise<void> = async () => {},
): Promise<C> {
  return postgres.transaction(async (tx) => {
    const offers = await findTogether(tx, together, 'FOR UPDATE');
    const change = decide(offers, await nowIn(tx, together, now));
    if (!change.ok) return change;
    for (const { offer, events } of change.changes) await saveOffer(tx, offer, events, now);
    await alongside(tx, change as Extract<C, { readonly ok: true }>);
    return change;
  }, deadline);
}

function isAllowed<C extends Change<string>>(change: C): change is Extract<C, { readonly ok: true }> {
  return change.ok;
}

/** For changes by the system itself, including reservations: payments and the end of a creation. */
export async function lockOffer(tx: Transaction, offerId: number): Promise<Offer | null> {
  const [offer] = await findOffers(tx, 'offer_id = $1 FOR UPDATE', [offerId]);
  return offer ?? null;
}

type DueWork = {
  /** Of the offers that are due at an instant, given as SQL. */
  readonly condition: (now: string) => string;
  /** The order of an index with this condition. */
  readonly order: string;
  /** By a test clock: the few offers among which to look. Without it, those whose status the clock has changed. */
  readonly amongTestOffers?: (now: string) => string;
};

/** What falls due by the clock. How to add a kind: docs/recipes.md. */
const dueWork = {
  'to-activate': {
    condition: (now) => `activation_announced_at IS NULL AND ${isLiveSql(now)}`,
    order: 'start_at, offer_id',
  },
  'to-end-soon': {
    condition: (now) => `${endsSoonSql} AND ${isLastDaySql(now)}`,
    order: 'expiry_at, offer_id',
    amongTestOffers: (now) => `deleted_at IS NULL AND ${isLastDaySql(now)}`,
  },
  'to-end': { condition: (now) => `${endIsDueSql} AND expiry_at <= ${now}`, order: 'expiry_at, offer_id' },
} as const satisfies Record<string, DueWork>;
export type Due = keyof typeof dueWork;
const workOf = (due: Due): DueWork => dueWork[due];
export const kindsOfDueWork = Object.keys(dueWork) as readonly Due[];

/**
 * Whose offers are looked at: those that are due by the real time, which are due by a test clock too, because that is ahead; those of all
 * organisations with a test clock, by it; or those of one such organisation.
 */
export type Whose = 'due by the real time' | 'due by test clocks' | { readonly organisationId: number };

export type Around = {
  readonly isExtended: boolean;
  /** The offers of its group that end with it, itself included. */
  readonly together: readonly Offer[];
  /** Those of them that this transaction has locked, because they are due too. */
  readonly alsoNow: readonly Offer[];
};
/** Which offers of a group end with one that is due. */
const ending = { 'to-end-soon': endsSoonOnceSql, 'to-end': endsOnceSql };

/**
 * Applies a decision to offers that are due, each once over all replicas: a changed row is no longer due. Rows that another replica has
 * locked are skipped, except those of one organisation: its request waits for them.
 * @returns how many were changed
 */
export async function changeDueOffers(
  postgres: Pick<Postgres, 'transaction'>,
  due: Due,
  o: { whose: Whose; now: Date; atMost: number },
  decide: (offer: Offer, now: Date, around: Around) => Change<'not-due'>,
): Promise<number> {
  return postgres.transaction(async (tx) => {
    const offers = (await dueRows(tx, due, o)).map(toOffer);
    const timeOf = await offerTimeOf(tx, offers);
    const groupIds = offers.flatMap(({ groupId }) => groupId ?? []);
    const others =
      due === 'to-activate' || groupIds.length === 0
        ? []
        : await findOffers(
            tx,
            `group_id IS NOT NULL AND group_id = ANY ($1) AND ${ending[due]} ORDER BY offer_id`,
            [groupIds],
          );
    const extended =
      due === 'to-end-soon' ? await findExtended(tx, [...offers, ...others]) : new Set<number>();
    const locked = new Set(offers.map(({ offerId }) => offerId));
    const around = ({ offerId, groupId, expiryAt }: Offer): Around => {
      const together = others.filter(
        (each) =>
          each.groupId === groupId &&
          each.expiryAt.getTime() === expiryAt.getTime() &&
          !extended.has(each.offerId),
      );
      const alsoNow = together.filter((each) => locked.has(each.offerId));
      return { isExtended: extended.has(offerId), together, alsoNow };
    };
    let changed = 0;
    for (const offer of offers) {
      const change = decide(offer, timeOf(offer, o.now), around(offer));
      changed += (await applyChange(tx, change, o.now)).ok ? 1 : 0;
    }
    return changed;
  });
}

function dueRows(
  tx: Transaction,
  due: Due,
  { whose, now, atMost }: { whose: Whose; now: Date; atMost: number },
): Promise<OfferRow[]> {
  // Without an order, the planner expects many due offers anywhere in the table, and reads all of it when there are none.
  if (whose === 'due by the real time')
    return tx.query(
      `SELECT * FROM offers WHERE ${dueWork[due].condition('$1')} ORDER BY ${dueWork[due].order} LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [now, atMost],
    );
  if (whose === 'due by test clocks')
    return tx.query(`SELECT due.* ${dueByTestClock(due, 'FOR UPDATE SKIP LOCKED')} LIMIT $2`, [now, atMost]);
  // In one order, so that two requests that wait for each other's rows cannot deadlock.
  return tx.query(`SELECT due.* ${dueByTestClock(due, 'FOR UPDATE', '$3')}`, [
    now,
    atMost,
    whose.organisationId,
  ]);
}

/** Whether offers of the organisation are due by its test clock. */
export async function isAnyDue(db: Queryable, organisationId: number, now: Date): Promise<boolean> {
  const any = (due: Due) => `EXISTS (SELECT ${dueByTestClock(due, '', '$3')})`;
  const [row] = await db.query<{ due: boolean }>(`SELECT ${kindsOfDueWork.map(any).join(' OR ')} AS due`, [
    now,
    1,
    organisationId,
  ]);
  return row?.due === true;
}

/** How many of the first so many that have not ended are live, each by the time of its owner. LIVE offers are the first. */
export async function countLive(
  db: Queryable,
  now: Date,
  lookedAt: number,
): Promise<ReadonlyMap<Mode, number>> {
  const rows = await db.query<{ mode: Mode; count: number }>(
    `SELECT mode, count(*)::integer AS count FROM (
       SELECT * FROM offers WHERE ${isRunningSql} ORDER BY mode, offer_id LIMIT $2
     ) AS running
     ${withClockSql('running')}
     WHERE ${isLiveSql(momentSql('$1'))}
     GROUP BY mode`,
    [now, lookedAt],
  );
  return new Map(rows.map(({ mode, count }) => [mode, count]));
}

/**
 * At most `$2` of each organisation with a test clock, at the moment `$1` of the real time. LATERAL, so that each clock costs one way down the
 * index `offers_to_refile`: the planner would join the clocks with all TEST offers that have not ended. ARRAY, so that it takes this index.
 */
function dueByTestClock(due: Due, lock: string, organisation?: `$${number}`): string {
  const now = momentSql('$1');
  return `FROM test_clocks AS clock, LATERAL (
      SELECT offers.* FROM offers
      WHERE offer_id = ANY (ARRAY(
          SELECT offer_id FROM offers
          WHERE organisation_id = clock.organisation_id AND mode = 'TEST' AND ${(workOf(due).amongTestOffers ?? movedOnSql)(now)}
        )) AND ${dueWork[due].condition(now)}
      ORDER BY offer_id LIMIT $2 ${lock}
    ) AS due ${organisation === undefined ? '' : `WHERE clock.organisation_id = ${organisation}`}`;
}

/** The facts that change after the reservation. */
export const changingFacts = [
  'vatMinor',
  'paymentUrl',
  'paidAt',
  'paymentAppliedAt',
  'shownAt',
  'pausedSince',
  'disabledSince',
  'disabledReason',
  'stops',
  'deletingSince',
  'deletedAt',
  'activationAnnouncedAt',
  'endAnnouncedAt',
  'endSoonAnnouncedAt',
  'version',
  'deletions',
  'failedDeletion',
  'keepingSince',
  'contentVersion',
  'contentChangedAt',
  'reviewWaitingSince',
] as const satisfies readonly (keyof Offer)[];

const saveStatement: PreparedStatement = {
  name: 'save-offer',
  sql: `WITH saved AS (UPDATE offers SET ${changingFacts.map((fact, index) => `${columnOf(fact)} = $${index + 3}`).join(', ')} WHERE offer_id = $1 RETURNING 1)
        INSERT INTO outbox (event) ${eventsOf('$2', 'saved')}`,
};

/**
 * Writes the changed offer and its events.
 * @param at the real time
 */
export async function saveOffer(
  tx: Transaction,
  offer: Offer,
  events: readonly OfferEvent[],
  at: Date,
): Promise<void> {
  const { changed, outgoing } = changesOf(offer, events, at);
  const values = changingFacts.map((fact) =>
    fact === 'stops' ? JSON.stringify(changed.stops) : changed[fact],
  );
  await tx.query(saveStatement, [offer.offerId, JSON.stringify(outgoing), ...values]);
  if (events.length > 0) tellOutbox(tx);
}

const saveContentStatement: PreparedStatement = {
  name: 'save-content',
  sql: `UPDATE offers SET ${editableFacts.map((fact, index) => `${columnOf(fact)} = $${index + 2}`).join(', ')}
         WHERE offer_id = $1`,
};

/** Writes what an edit may change, beside `saveOffer`. Few changes are edits, so the others do not write these columns. */
export async function saveContent(tx: Transaction, offer: Offer): Promise<void> {
  await tx.query(saveContentStatement, [offer.offerId, ...editableFacts.map((fact) => offer[fact])]);
}

/** The offer as it is to be stored, and its events: each gets the next version of the offer. */
export function changesOf(
  offer: Offer,
  events: readonly OfferEvent[],
  at: Date,
): { readonly changed: Offer; readonly outgoing: readonly OutgoingEvent[] } {
  const outgoing = events.map(({ declaration, data }, index) => {
    const subjectVersion = offer.version + index + 1;
    return newEvent(declaration, { subject: `offer/${offer.offerId}`, subjectVersion, at, data });
  });
  return { changed: { ...offer, version: offer.version + events.length }, outgoing };
}

async function applyChange<C extends Change<string>>(tx: Transaction, change: C, at: Date): Promise<C> {
  if (change.ok) await saveOffer(tx, change.offer, change.events, at);
  return change;
}

export async function findOffer(db: Queryable, reference: OfferReference): Promise<Offer | null> {
  const offer = await findOfferOrDeleted(db, reference);
  return offer?.deletedAt === null ? offer : null;
}

/** Also one that was deleted. */
export async function findOfferOrDeleted(db: Queryable, reference: OfferReference): Promise<Offer | null> {
  const [offer] = await findOffers(db, thisOffer, referenceValues(reference));
  return offer ?? null;
}

/** The url that members may be led to; null for offers that were deleted or that the platform team has disabled. */
export async function findAddress(db: Queryable, offerId: number): Promise<string | null> {
  const [row] = await db.query<{ url: string }>(
    `SELECT url FROM offers
     WHERE offer_id = $1 AND shown_at IS NOT NULL AND deleted_at IS NULL AND disabled_since IS NULL`,
    [offerId],
  );
  return row?.url ?? null;
}

/** For the platform's admins, who also see deleted offers. */
export async function findOfferForAdmin(db: Queryable, offerId: number): Promise<Offer | null> {
  const [offer] = await findOffers(db, 'offer_id = $1 AND shown_at IS NOT NULL', [offerId]);
  return offer ?? null;
}

/** Where the next page begins: behind this offer. */
export type WaitingPlace = { readonly since: Date; readonly offerId: number };

/** Offers whose content waits for a look of the platform's staff, the longest waiting first. */
export function pageOfWaiting(
  db: Queryable,
  o: { readonly mode: Mode; readonly after: WaitingPlace | null; readonly limit: number },
): Promise<Offer[]> {
  return findOffers(
    db,
    `mode = $1 AND ${waitsForReviewSql} AND (review_waiting_since, offer_id) > ($2, $3)
     ORDER BY review_waiting_since, offer_id LIMIT $4`,
    [o.mode, o.after?.since ?? '-infinity', o.after?.offerId ?? 0, o.limit],
  );
}

/** One page of all offers, including reservations and deleted ones, by id. */
export function pageOfOffers(db: Queryable, o: { after: number; limit: number }): Promise<Offer[]> {
  return findOffers(db, 'offer_id > $1 ORDER BY offer_id LIMIT $2', [o.after, o.limit]);
}

/** One page of the offers of a mode that have not ended, by id. */
export function pageOfRunning(
  db: Queryable,
  o: { readonly mode: Mode; readonly after: number; readonly limit: number },
): Promise<Offer[]> {
  const condition = `mode = $1 AND offer_id > $2 AND ${isRunningSql} ORDER BY offer_id LIMIT $3`;
  return findOffers(db, condition, [o.mode, o.after, o.limit]);
}

/**
 * Offers whose deletion began before `before` and has not ended. Also those whose mark is later than `orAfter`: a replica whose clock ran
 * ahead wrote it.
 */
export function findAbandonedDeletions(
  db: Queryable,
  o: { before: Date; orAfter: Date; atMost: number },
): Promise<Offer[]> {
  const condition = `(deleting_since < $1 OR deleting_since > $2) AND ${isFirstWith('deleting_since')} ORDER BY deleting_since LIMIT $3`;
  return findOffers(db, condition, [o.before, o.orAfter, o.atMost]);
}

/** Offers with a failed deletion of which billing has not confirmed yet that it knows. */
export function findUnreportedDeletions(db: Queryable, atMost: number): Promise<Offer[]> {
  const condition = `keeping_since IS NOT NULL AND ${isFirstWith('keeping_since')} ORDER BY keeping_since LIMIT $1`;
  return findOffers(db, condition, [atMost]);
}

/** Of the offers that have the same page, one is enough. */
const isFirstWith = (mark: string) => `NOT EXISTS (SELECT FROM offers AS other
    WHERE other.group_id = offers.group_id AND other.${mark} IS NOT NULL AND other.offer_id < offers.offer_id)`;

/** A row of the table: the facts of an offer under the names of their columns. */
export type OfferRow = Readonly<Record<string, unknown>>;

/** The column of a fact: its name in snake case. */
export function columnOf(fact: keyof Offer): string {
  return fact.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Columns have the names of the facts, in snake case. The instants inside of `stops` come as text. */
export function toOffer(row: OfferRow): Offer {
  const facts = Object.entries(row).map(([column, value]) => [
    factOf(column),
    column === 'stops' ? (value as readonly Record<keyof Stop, string>[]).map(toStop) : value,
  ]);
  return Object.fromEntries(facts) as Offer;
}

/** A memo, because each page of the listing has thousands of values in the same few columns. */
const factNames = new Map<string, string>();
function factOf(column: string): string {
  const known = factNames.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  factNames.set(column, name);
  return name;
}

function toStop({ from, to }: Record<keyof Stop, string>): Stop {
  return { from: new Date(from), to: new Date(to) };
}
