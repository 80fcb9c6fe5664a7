/** DuckDB inside this process, on two threads: columns in Hilbert order, so that boxes skip whole groups of rows. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { DuckDBInstance, type DuckDBPreparedStatement } from '@duckdb/node-api';
import type { Target } from '../../../services/pricing/src/domain/target.ts';
import { type BoxE6, boxesOf, chordSquared, pointOf } from '../members/geometry.ts';
import { bitsOfGenders, bitsOfInterests } from '../members/population.ts';
import { type Peer, timed } from './peers.ts';

const settings = { threads: '2', memory_limit: '2GB' };

export async function openDuckdbPeer(
  opened: AsyncDisposableStack,
  o: { database: string; file: () => Promise<string> },
): Promise<Peer> {
  const loadSeconds = await fill(o);
  const instance = await DuckDBInstance.create(o.database, { ...settings, access_mode: 'READ_ONLY' });
  opened.defer(() => instance.closeSync());
  const connection = await instance.connect();
  opened.defer(() => connection.closeSync());
  const prepared = new Map<string, DuckDBPreparedStatement>();
  const prepare = async (sql: string) => {
    const statement = prepared.get(sql) ?? (await connection.prepare(sql));
    prepared.set(sql, statement);
    return statement;
  };

  async function countIn(box: BoxE6, target: Target): Promise<number> {
    const { x, y, z } = pointOf(target.latitude, target.longitude);
    const values = [box.south, box.north, box.west, box.east, x, y, z, chordSquared(target.radiusMiles)];
    let sql = `SELECT count(*)::integer FROM members WHERE latitude_e6 BETWEEN $1 AND $2 AND longitude_e6 BETWEEN $3 AND $4
      AND (x - $5) * (x - $5) + (y - $6) * (y - $6) + (z - $7) * (z - $7) <= $8`;
    if (target.gender.length > 0)
      sql += ` AND gender & $${values.push(bitsOfGenders(target.gender))}::utinyint <> 0`;
    if (target.interests.length > 0)
      sql += ` AND interest_bits & $${values.push(bitsOfInterests(target.interests))}::integer <> 0`;
    const statement = await prepare(sql);
    for (const [index, value] of values.entries()) {
      if (index >= 4 && index < 8) statement.bindDouble(index + 1, value);
      else statement.bindInteger(index + 1, value);
    }
    const reader = await statement.runAndReadAll();
    return Number(reader.getRows()[0]?.[0]);
  }
  return {
    name: 'DuckDB',
    count: async (target) => {
      let matching = 0;
      for (const box of boxesOf(target)) matching += await countIn(box, target);
      return matching;
    },
    loadSeconds,
    bytes: statSync(o.database).size,
  };
}

/** The file gets its name when it is whole. */
async function fill(o: { database: string; file: () => Promise<string> }): Promise<number | undefined> {
  if (existsSync(o.database)) return undefined;
  const file = await o.file();
  const unfinished = `${o.database}.new`;
  rmSync(unfinished, { force: true });
  const instance = await DuckDBInstance.create(unfinished, settings);
  const connection = await instance.connect();
  const [, seconds] = await timed(() =>
    connection.run(`CREATE TABLE members AS SELECT latitude_e6, longitude_e6, gender, interest_bits,
        cos(radians(latitude_e6 / 1e6)) * cos(radians(longitude_e6 / 1e6)) AS x,
        cos(radians(latitude_e6 / 1e6)) * sin(radians(longitude_e6 / 1e6)) AS y, sin(radians(latitude_e6 / 1e6)) AS z
      FROM read_csv('${file}', delim = '\\t', header = false, columns = {'member_id': 'BIGINT', 'latitude_e6': 'INTEGER',
        'longitude_e6': 'INTEGER', 'gender': 'UTINYINT', 'interest_bits': 'INTEGER', 'interests': 'VARCHAR'})`),
  );
  connection.closeSync();
  instance.closeSync();
  renameSync(unfinished, o.database);
  return seconds;
}
