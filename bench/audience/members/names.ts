/** What is told in the tables, in their order. */

export const peerNames = [
  'the index',
  'PostGIS',
  'Postgres tuned by hand',
  'MongoDB 2dsphere',
  'DuckDB',
] as const;
export type PeerName = (typeof peerNames)[number];

export const changeNames = [
  'a move of up to a mile',
  'a move to another city',
  'other interests',
  'a ban',
  'the end of a ban',
] as const;
export type ChangeName = (typeof changeNames)[number];

export const wayNames = [
  'through gateway and pricing',
  'pricing alone',
  'pricing alone, on PostGIS',
] as const;
export type WayName = (typeof wayNames)[number];
