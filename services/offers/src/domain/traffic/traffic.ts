/**
 * Which views and clicks count (decision 50, views and clicks). Per viewer, offer and hour, one view and one click count; the
 * others are repeats. A viewer is a bot if the community platform says so, or after too many different offers within an hour.
 * The sums do not depend on the order of arrival.
 */

/** A view or a click, in the hour in which it counts. */
export type Sighting = {
  readonly offerId: number;
  readonly hour: Date;
  readonly kind: 'view' | 'click';
  /** Undefined: the community platform names no viewer, so it cannot be a repeat. */
  readonly viewer: string | undefined;
  readonly automated: boolean;
};

export type Traffic = { readonly views: number; readonly clicks: number };

/** The counted traffic, and the filtered traffic beside it. */
export type Counts = Traffic & {
  readonly viewsRepeated: number;
  readonly clicksRepeated: number;
  readonly viewsAutomated: number;
  readonly clicksAutomated: number;
};

/** What is known of one viewer in one hour: the traffic per offer, or that the viewer is a bot. */
export type ViewerHour = ReadonlyMap<number, Traffic> | 'automated';

/** The counts of one offer in one hour. */
export type RollUp = { readonly offerId: number; readonly hour: Date; readonly counts: Counts };

/** A hundred different offers in an hour is one every 36 seconds without a pause; no person reads at that rate. */
const MAX_OFFERS_OF_A_PERSON = 100;

/** If a viewer turns out to be a bot, the traffic counted before is subtracted, so counts can be negative. */
export function noteSightings(
  before: ViewerHour,
  sightings: readonly Sighting[],
): { after: ViewerHour; rollUps: RollUp[] } {
  const [first] = sightings;
  if (first === undefined) return { after: before, rollUps: [] };
  const { hour } = first;
  const added = timesByOffer(sightings);
  const countAll = (count: (offerId: number) => Counts, offerIds: Iterable<number>) =>
    [...offerIds].map((offerId) => ({ offerId, hour, counts: count(offerId) }));
  if (before === 'automated') {
    return {
      after: before,
      rollUps: countAll((offerId) => automatedCounts(added.get(offerId) ?? none), added.keys()),
    };
  }
  const all = new Map(before);
  for (const [offerId, times] of added) all.set(offerId, plus(all.get(offerId) ?? none, times));
  const isBot = all.size > MAX_OFFERS_OF_A_PERSON;
  const countsOf = isBot ? automatedCounts : personalCounts;
  const change = (offerId: number) =>
    minus(countsOf(all.get(offerId) ?? none), personalCounts(before.get(offerId) ?? none));
  return isBot
    ? { after: 'automated', rollUps: countAll(change, all.keys()) }
    : { after: all, rollUps: countAll(change, added.keys()) };
}

/** For events that need no comparison with others: those without a viewer, and those that the platform marked as automated. */
export function countAlone({ offerId, hour, kind, automated }: Sighting): RollUp {
  const once: Traffic = kind === 'view' ? { views: 1, clicks: 0 } : { views: 0, clicks: 1 };
  return { offerId, hour, counts: automated ? automatedCounts(once) : { ...nothing, ...once } };
}

/** One per offer and hour; hours without a change are left out. */
export function sumRollUps(rollUps: Iterable<RollUp>): RollUp[] {
  const sums = new Map<string, RollUp>();
  for (const { offerId, hour, counts } of rollUps) {
    const key = `${offerId} ${hour.getTime()}`;
    const before = sums.get(key)?.counts ?? nothing;
    sums.set(key, { offerId, hour, counts: combine(before, counts, (a, b) => a + b) });
  }
  return [...sums.values()].filter(({ counts }) => Object.values(counts).some((count) => count !== 0));
}

const none: Traffic = { views: 0, clicks: 0 };
const nothing: Counts = {
  ...none,
  viewsRepeated: 0,
  clicksRepeated: 0,
  viewsAutomated: 0,
  clicksAutomated: 0,
};

function timesByOffer(sightings: readonly Sighting[]): Map<number, Traffic> {
  const times = new Map<number, Traffic>();
  for (const { offerId, kind } of sightings) {
    const once = kind === 'view' ? { views: 1, clicks: 0 } : { views: 0, clicks: 1 };
    times.set(offerId, plus(times.get(offerId) ?? none, once));
  }
  return times;
}

function personalCounts({ views, clicks }: Traffic): Counts {
  return {
    ...nothing,
    views: Math.min(views, 1),
    clicks: Math.min(clicks, 1),
    viewsRepeated: Math.max(views - 1, 0),
    clicksRepeated: Math.max(clicks - 1, 0),
  };
}

function automatedCounts({ views, clicks }: Traffic): Counts {
  return { ...nothing, viewsAutomated: views, clicksAutomated: clicks };
}

function plus(a: Traffic, b: Traffic): Traffic {
  return { views: a.views + b.views, clicks: a.clicks + b.clicks };
}

function minus(a: Counts, b: Counts): Counts {
  return combine(a, b, (one, other) => one - other);
}

function combine(a: Counts, b: Counts, by: (a: number, b: number) => number): Counts {
  const names = Object.keys(nothing) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, by(a[name], b[name])])) as Counts;
}
