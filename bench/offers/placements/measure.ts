/** Matching in memory, with the choice, beside PostGIS with the same rows on a server of its own. Both answer one member at a time. */
import { EARTH_RADIUS_METRES, radiusMetres } from '@offer-ads/contracts/audience/great-circle';
import type { TargetedMember } from '@offer-ads/contracts/audience/target';
import pg from 'pg';
import { choose, lackPerHour } from '../../../services/offers/src/domain/placements/choice.ts';
import { type LiveOffer, liveOffers } from '../../../services/offers/src/placements/live-offers.ts';
import { openPostgis, postgisSession } from '../../postgis.ts';
import { openFolder } from '../../stores.ts';
import { membersOf, nowMs, offersOf } from './offers.ts';

export type PlacementsSample = {
  readonly offers: number;
  /** Of each member who asked. */
  readonly matching: readonly number[];
  /** Microseconds, by peer and round. */
  readonly rounds: readonly { readonly index: readonly number[]; readonly postgis: readonly number[] }[];
};

/** Of PostGIS without spheroid: the mean of the axes of WGS 84. Radii are scaled to it, so that the circles are the same. */
const POSTGIS_RADIUS_METRES = (2 * 6_378_137 + 6_356_752.314245179) / 3;
const WIDEST_MILES = 30;
const inPostgis = (miles: number) => (radiusMetres(miles) * POSTGIS_RADIUS_METRES) / EARTH_RADIUS_METRES;

export async function measurePlacements(
  opened: AsyncDisposableStack,
  o: {
    readonly offers: number;
    readonly asked: number;
    readonly rounds: number;
    readonly report: (line: string) => void;
  },
): Promise<PlacementsSample> {
  const offers = offersOf(o.offers);
  const index = liveOffers({ LIVE: 1_000_000, TEST: 1_000_000 });
  for (const offer of offers) index.put(offer);
  const folder = await openFolder(opened);
  const postgis = await fillPostgis(opened, folder, offers);
  const members = membersOf(o.asked);
  const now = new Date(nowMs);
  const matchingOf = (member: TargetedMember) => index.matching('LIVE', member, now);

  o.report('comparing both on 200 members');
  for (const member of members.slice(0, 200)) {
    const ids = matchingOf(member).map(({ offerId }) => offerId);
    const theirs = await postgis(member);
    if (ids.toSorted((a, b) => a - b).join() !== theirs.join())
      throw new Error('the two show different offers');
  }
  for (const member of members) place(matchingOf(member), member);
  const rounds: PlacementsSample['rounds'][number][] = [];
  for (let round = 1; round <= o.rounds; round += 1) {
    o.report(`round ${round} of ${o.rounds}`);
    const ours = members.map((member) => took(() => place(matchingOf(member), member)));
    const theirs: number[] = [];
    for (const member of members.slice(0, Math.ceil(members.length / 10))) {
      const startedAt = performance.now();
      await postgis(member);
      theirs.push(1_000 * (performance.now() - startedAt));
    }
    rounds.push({ index: ours, postgis: theirs });
  }
  return { offers: o.offers, matching: members.map((member) => matchingOf(member).length), rounds };
}

const placedAt = new Date(nowMs);

/** As the route chooses for a viewer who was shown a third of the offers already. */
function place(matching: readonly LiveOffer[], { latitude }: TargetedMember): number {
  const shownToday = (offerId: number) => (offerId % 3 === 0 ? 1 : 0);
  return choose(matching, {
    wanted: 3,
    shownToday,
    lackPerHour: (offer) => lackPerHour(offer, placedAt),
    seed: latitude * 100,
  }).length;
}

function took(work: () => void): number {
  const startedAt = performance.now();
  work();
  return 1_000 * (performance.now() - startedAt);
}

/** @returns the ids of matching offers, in order */
async function fillPostgis(
  opened: AsyncDisposableStack,
  folder: string,
  offers: readonly LiveOffer[],
): Promise<(member: TargetedMember) => Promise<number[]>> {
  const url = await openPostgis(opened, folder);
  const client = new pg.Client({ connectionString: url, options: postgisSession });
  await client.connect();
  opened.defer(() => client.end());
  await client.query(`CREATE TABLE live_offers (offer_id integer, centre geography(Point, 4326), metres float8, gender text[], interests integer[],
      start_at timestamptz, expiry_at timestamptz)`);
  const rows = offers.map(({ offerId, target, startAtMs, expiryAtMs }) => ({
    offer_id: offerId,
    ...target,
    metres: inPostgis(target.radiusMiles),
    start_at: new Date(startAtMs),
    expiry_at: new Date(expiryAtMs),
  }));
  await client.query(
    `INSERT INTO live_offers SELECT offer_id, ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)::geography, metres,
       ARRAY(SELECT jsonb_array_elements_text(gender)), ARRAY(SELECT jsonb_array_elements(interests)::integer), start_at, expiry_at
     FROM jsonb_to_recordset($1) AS o (offer_id integer, latitude float8, longitude float8, metres float8, gender jsonb,
       interests jsonb, start_at timestamptz, expiry_at timestamptz)`,
    [JSON.stringify(rows)],
  );
  await client.query('CREATE INDEX ON live_offers USING gist (centre)');
  await client.query('VACUUM (ANALYZE) live_offers');
  const widest = inPostgis(WIDEST_MILES);
  return async ({ latitude, longitude, gender, interests }) => {
    const { rows: found } = await client.query<{ offer_id: number }>({
      name: 'placements',
      text: `SELECT offer_id FROM live_offers, (SELECT ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography AS here) AS member
             WHERE ST_DWithin(centre, here, $3, false) AND ST_Distance(centre, here, false) <= metres
               AND (gender = '{}' OR $4 = ANY (gender)) AND (interests = '{}' OR interests && $5::integer[])
               AND start_at <= $6 AND expiry_at > $6 ORDER BY offer_id`,
      values: [longitude, latitude, widest, gender, interests, new Date(nowMs)],
    });
    return found.map(({ offer_id }) => offer_id);
  };
}
