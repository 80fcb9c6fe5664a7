/** Audits an idle system: compares every amount with the others, from sources that do not know each other. */
import type { Advertiser } from './advertiser.ts';
import { expectedCreditMinor } from './expected-credit.ts';
import { type OfferFacts, readCardPayments, readEvents, readOffers, readSales } from './facts.ts';
import type { World } from './world.ts';

/** Everything that is wrong, one sentence each; empty when the money is right. */
export async function audit(
  world: World,
  advertisers: readonly Advertiser[],
  toppedUpMinor: ReadonlyMap<number, bigint>,
): Promise<string[]> {
  const [offers, eventsOf, sales] = await Promise.all([
    readOffers(world),
    readEvents(world),
    readSales(world),
  ]);
  const cards = readCardPayments(world);
  const problems: string[] = [];
  const expect = (isRight: boolean, problem: string) => void (isRight || problems.push(problem));
  const balances = new Map(toppedUpMinor);
  const move = (organisationId: number, byMinor: bigint) =>
    balances.set(organisationId, (balances.get(organisationId) ?? 0n) + byMinor);

  for (const offer of offers) {
    const name = `offer ${offer.offer_id} (${offer.payment_method})`;
    const sale = sales.get(offer.offer_id);
    sales.delete(offer.offer_id);
    const events = eventsOf.get(offer.offer_id) ?? [];
    const times = (event: string) => events.filter((it) => it.name === event).length;
    const paidByCard = cards.get(offer.offer_id) ?? 0;
    expect(offer.shown_at !== null, `${name} is hidden`);
    expect(sale !== undefined, `${name} is unknown to billing`);
    if (sale === undefined) continue;
    expect(sale.net_minor === offer.net_minor, `${name} was sold at another price`);
    expect((offer.payment_applied_at !== null) === (sale.paid_at !== null), `${name}: paid on one side only`);
    expect(
      sale.sold_minor === (sale.paid_at === null ? 0n : offer.net_minor),
      `${name}: booked ${sale.sold_minor}`,
    );
    expect(
      paidByCard === (offer.payment_method === 'E' && sale.paid_at !== null ? 1 : 0),
      `${name}: ${paidByCard} card payments`,
    );
    expect(offer.payment_method === 'E' || sale.paid_at !== null, `${name} was not paid for`);
    expect(sale.paid_at !== null || sale.state === 'closed', `${name} has ended unpaid and is ${sale.state}`);
    for (const once of [
      'OfferCreated',
      'OfferPaymentApplied',
      'OfferEnded',
      'OfferDeleted',
      'OfferActivated',
    ])
      expect(times(once) <= 1, `${name}: ${once} ${times(once)} times`);
    expect(times('OfferEnded') + times('OfferDeleted') > 0, `${name} neither ended nor was deleted`);

    const creditMinor = expectedCreditMinor(
      {
        netMinor: offer.net_minor,
        createdAt: offer.created_at.getTime(),
        startAt: offer.start_at.getTime(),
        expiryAt: offer.expiry_at.getTime(),
      },
      events,
    );
    expect(
      sale.credited_minor === creditMinor,
      `${name}: credited ${sale.credited_minor}, due ${creditMinor} of ${offer.net_minor}`,
    );
    if (offer.payment_method === 'B') move(offer.organisation_id, -offer.net_minor);
    move(offer.organisation_id, creditMinor);
  }
  // Ids of creations that were dropped.
  for (const [offerId, sale] of sales) {
    expect(
      sale.paid_at === null || sale.credited_minor === sale.net_minor,
      `offer ${offerId} does not exist and was paid for`,
    );
    expect(
      (cards.get(offerId) ?? 0) === 0 || sale.paid_at !== null,
      `offer ${offerId}: a card payment was lost`,
    );
    expect(sale.state === 'closed', `offer ${offerId} does not exist and can be paid for`);
    move(sale.organisation_id, sale.credited_minor);
  }
  for (const advertiser of advertisers) problems.push(...(await auditAdvertiser(world, advertiser, offers)));
  for (const { organisation } of advertisers) {
    const { organisationId, currency } = organisation;
    const query = `organisationId=${organisationId}&mode=TEST&currency=${currency}`;
    const reply = (await (await world.admin('billing', 'GET', `/admin/balances?${query}`)).json()) as {
      balanceMinor: string;
    };
    const dueMinor = balances.get(organisationId) ?? 0n;
    expect(
      BigInt(reply.balanceMinor) === dueMinor,
      `organisation ${organisationId} has ${reply.balanceMinor}, due ${dueMinor}`,
    );
  }
  const ledger = (await (await world.admin('billing', 'GET', '/admin/ledger/check')).json()) as {
    problems: string[];
  };
  problems.push(...ledger.problems);
  for (const service of ['offers', 'billing'] as const) {
    const { parked } = (await (await world.admin(service, 'GET', '/admin/parked')).json()) as {
      parked: object[];
    };
    expect(parked.length === 0, `${service} has parked ${JSON.stringify(parked)}`);
  }
  return problems;
}

/** For an idle system: the offers that wait for a payment although their page cannot be paid. */
export async function deadLinks(world: World): Promise<string[]> {
  const sales = await readSales(world);
  const now = world.clock.now();
  const waiting = (await readOffers(world)).filter(
    (offer) => offer.payment_applied_at === null && offer.deleted_at === null && offer.expiry_at > now,
  );
  return waiting.flatMap(({ offer_id: id }) => {
    const state = sales.get(id)?.state;
    return state === 'open' || state === 'opening' ? [] : [`offer ${id} waits, and its page is ${state}`];
  });
}

/** Each key has at most one offer and always the same answer; each offer is listed once, unless it was deleted. */
async function auditAdvertiser(
  world: World,
  { organisation: { organisationId }, keys, deleted, listedIds }: Advertiser,
  offers: readonly OfferFacts[],
): Promise<string[]> {
  const problems: string[] = [];
  const own = offers.filter((offer) => offer.organisation_id === organisationId);
  const rows = await world.stores.offers.query<{ idempotency_key: string; offer_id: number; reply: object }>(
    'SELECT idempotency_key, offer_id, reply FROM idempotency_keys WHERE organisation_id = $1',
    [organisationId],
  );
  const byKey = new Map(rows.map((row) => [row.idempotency_key, row]));
  for (const { key, successes } of keys)
    for (const success of successes)
      if (JSON.stringify(byKey.get(key)?.reply) !== success) problems.push(`${key} was answered ${success}`);
  const idsOfKeys = new Set(rows.map((row) => row.offer_id));
  if (idsOfKeys.size !== rows.length) problems.push(`organisation ${organisationId}: two keys, one offer`);
  if (own.length !== rows.length)
    problems.push(`organisation ${organisationId}: ${rows.length} keys gave ${own.length} offers`);
  const listed = await listedIds();
  const expected = own.filter((offer) => offer.deleted_at === null).map((offer) => offer.offer_id);
  if (JSON.stringify(listed.toSorted((a, b) => a - b)) !== JSON.stringify(expected.toSorted((a, b) => a - b)))
    problems.push(`organisation ${organisationId} is listed ${listed.join()} and has ${expected.join()}`);
  for (const id of deleted)
    if (listed.includes(id)) problems.push(`offer ${id} is listed after its deletion`);
  return problems;
}
