/** Counting in PostGIS, as most teams would. */

import { EARTH_RADIUS_METRES, radiusMetres } from '@offer-ads/contracts/audience/great-circle';
import type { Target } from '@offer-ads/contracts/audience/target';
import pg from 'pg';
import { bitsOfGenders, POPULATION } from '../members/population.ts';
import { type Peer, timed } from './peers.ts';
import { postgisSession } from './postgres-server.ts';

/** Of PostGIS without spheroid: the mean of the axes of WGS 84, (2a + b) / 3. Radii are scaled to it, so that the circles are the same. */
const POSTGIS_RADIUS_METRES = (2 * 6_378_137 + 6_356_752.314245179) / 3;

const postgisTable = `CREATE TABLE people AS SELECT member_id,
  ST_SetSRID(ST_MakePoint(longitude_e6 / 1e6::float8, latitude_e6 / 1e6::float8), 4326)::geography(Point, 4326) AS position,
  gender, interests FROM members`;
const postgisIndex = 'CREATE INDEX people_position ON people USING gist (position)';

type Statement = { readonly name: string; readonly text: string; readonly values: unknown[] };

/** Prepared under its name at its first use. */
function countStatement({ latitude, longitude, radiusMiles, gender, interests }: Target): Statement {
  const values: unknown[] = [
    longitude,
    latitude,
    (radiusMetres(radiusMiles) * POSTGIS_RADIUS_METRES) / EARTH_RADIUS_METRES,
  ];
  let text = `SELECT count(*)::int AS matching FROM people
    WHERE ST_DWithin(position, ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography, $3, false)`;
  if (gender.length > 0)
    text += ` AND gender = ANY ($${values.push(gender.map((one) => bitsOfGenders([one])))}::smallint[])`;
  if (interests.length > 0) text += ` AND interests && $${values.push(interests)}::int[]`;
  return { name: nameOf(gender, interests), text, values };
}

function nameOf(gender: readonly unknown[], interests: readonly unknown[]): string {
  return `postgis${gender.length > 0 ? ' gender' : ''}${interests.length > 0 ? ' interests' : ''}`;
}

export async function openPostgisPeer(
  opened: AsyncDisposableStack,
  o: { serverUrl: string; database: string; file: () => Promise<string> },
): Promise<Peer> {
  const loadSeconds = await fill(o);
  const client = await connect(opened, urlOf(o), postgisSession);
  for (const relation of ['people', 'people_position'])
    await client.query('SELECT pg_prewarm($1::regclass)', [relation]);
  const size = await client.query<{ bytes: string }>("SELECT pg_total_relation_size('people') AS bytes");
  return {
    name: 'PostGIS',
    count: async (target) => {
      const { rows } = await client.query<{ matching: number }>(countStatement(target));
      return rows[0]?.matching ?? Number.NaN;
    },
    loadSeconds,
    bytes: Number(size.rows[0]?.bytes),
  };
}

function urlOf({ serverUrl, database }: { serverUrl: string; database: string }): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** @returns seconds; undefined when the database holds this population already */
async function fill(o: {
  serverUrl: string;
  database: string;
  file: () => Promise<string>;
}): Promise<number | undefined> {
  await using used = new AsyncDisposableStack();
  const server = await connect(used, o.serverUrl);
  const { rows } = await server.query<{ comment: string | null }>(
    "SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = $1",
    [o.database],
  );
  if (rows[0]?.comment === POPULATION) return undefined;
  await server.query(`DROP DATABASE IF EXISTS ${o.database} WITH (FORCE)`);
  await server.query(`CREATE DATABASE ${o.database}`);
  const file = await o.file();
  const client = await connect(used, urlOf(o));
  const run = async (statements: readonly string[]) => {
    for (const statement of statements) await client.query(statement);
  };
  await run(['CREATE EXTENSION postgis', 'CREATE EXTENSION pg_prewarm']);
  // In one transaction with its table a copy needs no log.
  const [, copySeconds] = await timed(() =>
    run([
      'BEGIN',
      `CREATE TABLE members (member_id bigint, latitude_e6 int, longitude_e6 int, gender smallint, interests int[])`,
      `COPY members FROM '${file}'`,
      'COMMIT',
    ]),
  );
  const [, postgisSeconds] = await timed(() =>
    run([postgisTable, postgisIndex, 'VACUUM (FREEZE, ANALYZE) people']),
  );
  await run(['DROP TABLE members', 'CHECKPOINT', `COMMENT ON DATABASE ${o.database} IS '${POPULATION}'`]);
  return copySeconds + postgisSeconds;
}

async function connect(
  opened: AsyncDisposableStack,
  connectionString: string,
  options?: string,
): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, ...(options !== undefined && { options }) });
  await client.connect();
  opened.defer(() => client.end());
  return client;
}
