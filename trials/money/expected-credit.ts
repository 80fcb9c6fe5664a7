/**
 * The credit of an offer, computed a second time: from its events, moment by moment, without the services' own arithmetic
 * (decision 6, Unused Time).
 */
export type ToldEvent = { readonly name: string; readonly at: number; readonly deletedAt: number | null };

export type Schedule = {
  readonly netMinor: bigint;
  readonly createdAt: number;
  readonly startAt: number;
  readonly expiryAt: number;
};

type Stretch = { readonly from: number; readonly to: number };

export function expectedCreditMinor(offer: Schedule, events: readonly ToldEvent[]): bigint {
  const applied = events.find(({ name }) => name === 'OfferPaymentApplied')?.at;
  if (applied === undefined) return 0n;
  const deleted = events.find(({ name }) => name === 'OfferDeleted')?.deletedAt ?? Infinity;
  // Their order decides, because both events may have the same millisecond.
  const order = events.map(({ name }) => name);
  const wasDeletedFirst = order.slice(0, order.indexOf('OfferPaymentApplied')).includes('OfferDeleted');
  if (applied >= offer.expiryAt || wasDeletedFirst) return offer.netMinor;

  const stretches = [
    { from: -Infinity, to: applied },
    { from: deleted, to: Infinity },
    ...between(events, 'OfferPaused', 'OfferResumed'),
    ...between(events, 'OfferDisabled', 'OfferEnabled'),
  ];
  const [first, last] = [Math.max(offer.startAt, offer.createdAt), offer.expiryAt];
  const turns = stretches.flatMap(({ from, to }) => [from, to]).filter((turn) => turn > first && turn < last);
  const moments = [...new Set([first, ...turns, last])].toSorted((a, b) => a - b);
  let unusedMs = 0;
  for (const [index, from] of moments.slice(0, -1).entries()) {
    const to = moments[index + 1] as number;
    const middle = (from + to) / 2;
    if (stretches.some((stretch) => stretch.from < middle && middle < stretch.to)) unusedMs += to - from;
  }
  const scheduledMs = BigInt(offer.expiryAt - offer.startAt);
  const twice = (2n * offer.netMinor * BigInt(unusedMs)) / scheduledMs;
  return (twice + 1n) / 2n;
}

/** A stretch without an end lasts for ever. A request that another one overtook may end before it began; it does not count. */
function between(events: readonly ToldEvent[], opening: string, ending: string): Stretch[] {
  const stretches: Stretch[] = [];
  let from: number | null = null;
  for (const { name, at } of events) {
    if (name === opening) from = at;
    if (name !== ending || from === null) continue;
    stretches.push({ from, to: at });
    from = null;
  }
  return from === null ? stretches : [...stretches, { from, to: Infinity }];
}
