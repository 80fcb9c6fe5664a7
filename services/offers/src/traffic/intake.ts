/**
 * Takes in batches of views and clicks: each event takes effect once, in any order, with several replicas, and however often it arrives.
 */

import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { isOfferId } from '../domain/offer-id.ts';
import { hourOfTraffic } from '../domain/traffic/analytics-period.ts';
import {
  countAlone,
  noteSightings,
  type RollUp,
  type Sighting,
  sumRollUps,
} from '../domain/traffic/traffic.ts';
import { offerTimeOf } from '../test-clock/test-clock-store.ts';
import { addTraffic, findShown, recordTrafficEvents } from './traffic-store.ts';
import {
  insertViewers,
  type KnownViewer,
  lockViewers,
  updateViewers,
  type Viewer,
  viewerIn,
} from './viewers-store.ts';

/** A view or click as received. */
export type TrafficEvent = Omit<Sighting, 'hour'> & { readonly eventId: string; readonly seenAt: Date };

/** Counts: new events, events known before, and events without an offer that could be seen. */
export type Intake = { readonly taken: number; readonly repeated: number; readonly outside: number };

/** Records all of them; if it throws, none. */
export async function recordTraffic(
  o: { readonly postgres: Postgres; readonly clock: Clock },
  events: readonly TrafficEvent[],
): Promise<Intake> {
  // Postgres returns UUIDs in lower case.
  const byId = new Map(events.map((event) => [event.eventId.toLowerCase(), event]));
  return o.postgres.transaction(async (tx) => {
    const now = o.clock.now();
    const fresh = await recordTrafficEvents(tx, [...byId.values()], now);
    const freshEvents = [...byId].flatMap(([id, event]) => (fresh.has(id) ? [event] : []));
    const sightings = await toSightings(tx, freshEvents, now);
    const { alone = [], ofViewers = [] } = Object.groupBy(sightings, (one) =>
      countsAlone(one) ? 'alone' : 'ofViewers',
    );
    const rollUps = await countViewers(tx, ofViewers, now);
    // Last, because all batches write to the rows of popular offers, and wait for each other there.
    await addTraffic(tx, sumRollUps(alone.map(countAlone).concat(rollUps)));
    return {
      taken: sightings.length,
      repeated: events.length - fresh.size,
      outside: fresh.size - sightings.length,
    };
  });
}

/**
 * Leaves out traffic of unknown offers, and traffic from before an offer's creation: nobody can have seen the offer. Traffic counts in the
 * offer's own time: that of a TEST offer in the hour of its test clock.
 */
async function toSightings(tx: Transaction, events: readonly TrafficEvent[], now: Date): Promise<Sighting[]> {
  const offerIds = new Set(events.map(({ offerId }) => offerId).filter(isOfferId));
  const offers = await findShown(tx, [...offerIds]);
  const timeOf = await offerTimeOf(tx, offers.values());
  return events.flatMap(({ offerId, kind, viewer, automated, seenAt }) => {
    const offer = offers.get(offerId);
    if (offer === undefined) return [];
    const hour = hourOfTraffic(timeOf(offer, seenAt), offer.createdAt, timeOf(offer, now));
    return hour === null ? [] : [{ offerId, hour, kind, viewer, automated }];
  });
}

/** Which traffic counts depends on the viewer's earlier traffic in that hour, so batches that share a viewer run one after the other. */
async function countViewers(
  tx: Transaction,
  sightings: readonly Sighting[],
  now: Date,
): Promise<readonly RollUp[]> {
  const groups = groupByViewer(sightings);
  if (groups.length === 0) return [];
  const asNew = groups.map(({ viewer, seen }) => note({ ...viewer, known: new Map() }, seen));
  const inserted = await insertViewers(tx, asNew.map(viewerOf), now);
  const fresh = asNew.filter(({ viewer }) => inserted.has(viewer.key)).flatMap(({ rollUps }) => rollUps);
  const others = groups.filter(({ viewer }) => !inserted.has(viewer.key));
  if (others.length === 0) return fresh;
  const locked = await lockViewers(tx, others.map(viewerOf));
  const noted = others.map(({ viewer, seen }) =>
    note({ ...viewer, known: locked.get(viewer.key) ?? new Map() }, seen),
  );
  await updateViewers(tx, noted.map(viewerOf), now);
  return fresh.concat(noted.flatMap(({ rollUps }) => rollUps));
}

type Group = { readonly viewer: Viewer; readonly seen: Sighting[] };

function groupByViewer(sightings: readonly Sighting[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const sighting of sightings) {
    const viewer = viewerIn(sighting.hour, sighting.viewer ?? '');
    const group = groups.get(viewer.key);
    if (group === undefined) groups.set(viewer.key, { viewer, seen: [sighting] });
    else group.seen.push(sighting);
  }
  return [...groups.values()];
}

function note(viewer: KnownViewer, seen: readonly Sighting[]): { viewer: KnownViewer; rollUps: RollUp[] } {
  const { after, rollUps } = noteSightings(viewer.known, seen);
  return { viewer: { ...viewer, known: after }, rollUps };
}

function viewerOf<V extends Viewer>({ viewer }: { readonly viewer: V }): V {
  return viewer;
}

/** Only traffic of a viewer is compared with the viewer's other traffic. */
function countsAlone({ viewer, automated }: Sighting): boolean {
  return automated || viewer === undefined;
}
