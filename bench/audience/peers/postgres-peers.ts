/** Two ways of counting in Postgres: PostGIS as anybody would, and cells of a grid as somebody would who has a week for it. */
import pg from 'pg';
import { EARTH_RADIUS_METRES, radiusMetres } from '../../../services/pricing/src/domain/great-circle.ts';
import type { Target } from '../../../services/pricing/src/domain/target.ts';
import { CELL_E6, CELLS_AROUND, rangesOf } from '../members/cells.ts';
import { chordSquared, pointOf } from '../members/geometry.ts';
import { bitsOfGenders, bitsOfInterests, POPULATION } from '../members/population.ts';
import { type Peer, timed } from './peers.ts';
import { postgisSession } from './postgres-server.ts';

/** Of PostGIS without spheroid: the mean of the axes of WGS 84, (2a + b) / 3. Radii are scaled to it, so that the circles are the same. */
const POSTGIS_RADIUS_METRES = (2 * 6_378_137 + 6_356_752.314245179) / 3;

const postgisTable = `CREATE TABLE people AS SELECT member_id,
  ST_SetSRID(ST_MakePoint(longitude_e6 / 1e6::float8, latitude_e6 / 1e6::float8), 4326)::geography(Point, 4326) AS position,
  gender, interests FROM members`;
const postgisIndex = 'CREATE INDEX people_position ON people USING gist (position)';
const tunedTable = `CREATE TABLE people_in_cells AS SELECT
  ((latitude_e6 + 90000000) / ${CELL_E6}) * ${CELLS_AROUND} + (longitude_e6 + 180000000) / ${CELL_E6} AS cell,
  cos(radians(latitude_e6 / 1e6::float8)) * cos(radians(longitude_e6 / 1e6::float8)) AS x,
  cos(radians(latitude_e6 / 1e6::float8)) * sin(radians(longitude_e6 / 1e6::float8)) AS y,
  sin(radians(latitude_e6 / 1e6::float8)) AS z,
  gender, interest_bits FROM members ORDER BY cell`;
const tunedIndex =
  'CREATE INDEX people_cell ON people_in_cells (cell) INCLUDE (x, y, z, gender, interest_bits)';

type Statement = { readonly name: string; readonly text: string; readonly values: unknown[] };

/** Prepared under its name at its first use. */
export function postgisCount({ latitude, longitude, radiusMiles, gender, interests }: Target): Statement {
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
  return { name: nameOf('postgis', gender, interests), text, values };
}

/** Each range is one descent of the index; nothing but the index is read. */
export function tunedCount(target: Target): Statement {
  const { gender, interests } = target;
  const ranges = rangesOf(target);
  const { x, y, z } = pointOf(target.latitude, target.longitude);
  const values: unknown[] = [
    ranges.map(({ low }) => low),
    ranges.map(({ high }) => high),
    ranges.map(({ inside }) => inside),
    x,
    y,
    z,
    chordSquared(target.radiusMiles),
  ];
  let text = `SELECT count(*)::int AS matching FROM unnest($1::int[], $2::int[], $3::bool[]) AS range (low, high, inside)
    JOIN people_in_cells AS person ON person.cell BETWEEN range.low AND range.high
     AND (range.inside OR (x - $4::float8) * (x - $4) + (y - $5::float8) * (y - $5) + (z - $6::float8) * (z - $6) <= $7::float8)`;
  if (gender.length > 0) text += ` AND gender & $${values.push(bitsOfGenders(gender))}::smallint <> 0`;
  if (interests.length > 0)
    text += ` AND interest_bits & $${values.push(bitsOfInterests(interests))}::int <> 0`;
  return { name: nameOf('tuned', gender, interests), text, values };
}

function nameOf(way: string, gender: readonly unknown[], interests: readonly unknown[]): string {
  return `${way}${gender.length > 0 ? ' gender' : ''}${interests.length > 0 ? ' interests' : ''}`;
}

export async function openPostgresPeers(
  opened: AsyncDisposableStack,
  o: { serverUrl: string; database: string; file: () => Promise<string> },
): Promise<Peer[]> {
  const loadSeconds = await fill(o);
  const client = await connect(opened, urlOf(o));
  const counting =
    (client: pg.Client, statementOf: (target: Target) => Statement) => async (target: Target) => {
      const { rows } = await client.query<{ matching: number }>(statementOf(target));
      return rows[0]?.matching ?? Number.NaN;
    };
  const bytes = async (table: string) => {
    const { rows } = await client.query<{ bytes: string }>(
      'SELECT pg_total_relation_size($1::regclass) AS bytes',
      [table],
    );
    return Number(rows[0]?.bytes);
  };
  for (const relation of ['people', 'people_position', 'people_cell']) {
    await client.query('SELECT pg_prewarm($1::regclass)', [relation]);
  }
  return [
    {
      name: 'PostGIS',
      count: counting(await connect(opened, urlOf(o), postgisSession), postgisCount),
      loadSeconds: loadSeconds?.postgis,
      bytes: await bytes('people'),
    },
    {
      name: 'Postgres tuned by hand',
      count: counting(client, tunedCount),
      loadSeconds: loadSeconds?.tuned,
      bytes: await bytes('people_in_cells'),
    },
  ];
}

export function urlOf({ serverUrl, database }: { serverUrl: string; database: string }): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** @returns seconds; undefined when the database holds this population already */
async function fill(o: {
  serverUrl: string;
  database: string;
  file: () => Promise<string>;
}): Promise<{ postgis: number; tuned: number } | undefined> {
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
      `CREATE TABLE members (member_id bigint, latitude_e6 int, longitude_e6 int, gender smallint, interest_bits int, interests int[])`,
      `COPY members FROM '${file}'`,
      'COMMIT',
    ]),
  );
  const [, postgisSeconds] = await timed(() =>
    run([postgisTable, postgisIndex, 'VACUUM (FREEZE, ANALYZE) people']),
  );
  const [, tunedSeconds] = await timed(() =>
    run([tunedTable, tunedIndex, 'VACUUM (FREEZE, ANALYZE) people_in_cells']),
  );
  await run(['DROP TABLE members', 'CHECKPOINT', `COMMENT ON DATABASE ${o.database} IS '${POPULATION}'`]);
  return { postgis: copySeconds + postgisSeconds, tuned: copySeconds + tunedSeconds };
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
