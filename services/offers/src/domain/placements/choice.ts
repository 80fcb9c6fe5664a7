/**
 * Which of the matching offers a member is shown (decision 202, turns and fair share). Everyone has paid for the whole audience, so nobody
 * may starve: offers take turns with each viewer, and one that was shown less than its share comes earlier.
 */

export type Choice<O> = {
  /** How many offers at most. */
  readonly wanted: number;
  /** How often this viewer was shown the offer today. */
  readonly shownToday: (offerId: number) => number;
  /** How much the offer lacks to its fair share, for each hour that it has left; 0 or more. */
  readonly lackPerHour: (offer: O) => number;
  /** The same for a viewer on a day: the order of offers with the same turns and lack stays the same. */
  readonly seed: number;
};

/** Those that were shown to this viewer less often today than `cap`. Only these count for fair shares. */
export function belowCap<O extends { readonly offerId: number }>(
  offers: readonly O[],
  { cap, shownToday }: Pick<Choice<O>, 'shownToday'> & { readonly cap: number },
): O[] {
  return offers.filter(({ offerId }) => shownToday(offerId) < cap);
}

/** In the order in which they are shown. */
export function choose<O extends { readonly offerId: number }>(offers: readonly O[], o: Choice<O>): O[] {
  /** The first of those seen so far, in order: a few of hundreds. */
  const first: { readonly offer: O; readonly turns: number; readonly key: number }[] = [];
  for (const offer of offers) {
    const turns = o.shownToday(offer.offerId);
    // Efraimidis and Spirakis, 2006: the order of weighted random choices without replacement.
    const key = Math.log(chanceOf(o.seed, offer.offerId)) / (1 + o.lackPerHour(offer));
    let at = first.length;
    for (let before = first[at - 1]; before !== undefined; before = first[at - 1]) {
      if (before.turns < turns || (before.turns === turns && before.key >= key)) break;
      at -= 1;
    }
    if (at >= o.wanted) continue;
    first.splice(at, 0, { offer, turns, key });
    if (first.length > o.wanted) first.pop();
  }
  return first.map(({ offer }) => offer);
}

/** In the last hour an offer's weight would grow without end. */
const LEAST_HOURS_LEFT = 1;
const HOUR_MS = 3_600_000;

/** What the offer lacks to its fair share, for each hour that it has left; 0 or more. */
export function lackPerHour(
  { lack, expiryAtMs }: { readonly lack: number; readonly expiryAtMs: number },
  now: Date,
): number {
  if (lack <= 0) return 0;
  return lack / Math.max(LEAST_HOURS_LEFT, (expiryAtMs - now.getTime()) / HOUR_MS);
}

/** What each of so many matching offers would get of one placement if all had the same. */
export function fairShare(matching: number, wanted: number): number {
  return matching === 0 ? 0 : Math.min(1, wanted / matching);
}

/** Above 0 and below 1; evenly spread over offers. The finaliser of MurmurHash3. */
function chanceOf(seed: number, offerId: number): number {
  let mixed = seed ^ Math.imul(offerId, 0x9e37_79b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (((mixed ^ (mixed >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}
