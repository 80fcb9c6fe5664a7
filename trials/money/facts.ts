/** What is stored about every offer: by the offers service, in its events, in billing's ledger and at the card provider. */
import { readFileSync } from 'node:fs';
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import { allEvents } from '@offer-ads/contracts/events/events';
import type { ToldEvent } from './expected-credit.ts';
import type { World } from './world.ts';

export type OfferFacts = {
  offer_id: number;
  organisation_id: number;
  payment_method: 'B' | 'E';
  net_minor: bigint;
  created_at: Date;
  start_at: Date;
  expiry_at: Date;
  shown_at: Date | null;
  payment_applied_at: Date | null;
  deleted_at: Date | null;
};

export function readOffers({ stores }: World): Promise<OfferFacts[]> {
  return stores.offers.query<OfferFacts>('SELECT * FROM offers ORDER BY offer_id');
}

const namesOfTypes = new Map(allEvents.map((declaration) => [eventType(declaration), declaration.name]));

export async function readEvents({ stores }: World): Promise<Map<number, ToldEvent[]>> {
  const rows = await stores.offers.query<{
    event: { type: string; time: string; data: { offerId?: number; deletedAt?: string } };
  }>('SELECT event FROM journal ORDER BY position');
  const byOffer = new Map<number, ToldEvent[]>();
  for (const { event } of rows) {
    const { offerId, deletedAt } = event.data;
    if (offerId === undefined) continue;
    const told = {
      name: namesOfTypes.get(event.type) ?? event.type,
      at: Date.parse(event.time),
      deletedAt: deletedAt === undefined ? null : Date.parse(deletedAt),
    };
    byOffer.set(offerId, [...(byOffer.get(offerId) ?? []), told]);
  }
  return byOffer;
}

type Sale = {
  organisation_id: number;
  state: string;
  net_minor: bigint;
  paid_at: Date | null;
  credited_minor: bigint;
  sold_minor: bigint;
};

/** Sold and credited as the ledger's entries say. */
export async function readSales({ stores }: World): Promise<Map<number, Sale>> {
  const rows = await stores.billing.query<Sale & { offer_id: bigint }>(
    `SELECT p.offer_id, p.organisation_id::int, p.state, p.net_minor, p.paid_at,
            coalesce(sum(amount_minor) FILTER (WHERE accounts.kind = 'sales'), 0)::bigint AS sold_minor,
            coalesce(sum(amount_minor) FILTER (WHERE accounts.kind = 'prepaid-balance' AND amount_minor > 0), 0)::bigint AS credited_minor
       FROM payments p
       LEFT JOIN transactions t USING (offer_id) LEFT JOIN entries USING (transaction_id) LEFT JOIN accounts USING (account_id)
      WHERE p.offer_id IS NOT NULL
      GROUP BY p.offer_id, p.organisation_id, p.state, p.net_minor, p.paid_at`,
  );
  return new Map(rows.map((row) => [Number(row.offer_id), row]));
}

/** The latest version of each object of a kind, from the card provider's file. */
function readProvider<T extends { readonly id: string }>({ stripeState }: World, wanted: string): T[] {
  const latest = new Map<string, T>();
  for (const line of readFileSync(stripeState, 'utf8').split('\n').filter(Boolean)) {
    const { kind, object } = JSON.parse(line) as { kind: string; object: T };
    if (kind === wanted) latest.set(object.id, object);
  }
  return [...latest.values()];
}

/** The events that the card provider has sent, or is about to send. */
export function readProviderEvents(world: World): { readonly id: string; readonly type: string }[] {
  return readProvider(world, 'event');
}

type Session = {
  readonly id: string;
  readonly metadata: Record<string, string>;
  readonly outcome: { readonly status: string };
};

/** How often each offer was paid for, according to the card provider. */
export function readCardPayments(world: World): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { metadata, outcome } of readProvider<Session>(world, 'session')) {
    const offerId = Number(metadata.offer_id);
    if (outcome.status === 'complete') counts.set(offerId, (counts.get(offerId) ?? 0) + 1);
  }
  return counts;
}
