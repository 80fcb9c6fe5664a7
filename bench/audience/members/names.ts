/** The rows of the tables, in their order. */

export const peerNames = ['the index', 'PostGIS', 'MongoDB 2dsphere'] as const;
export type PeerName = (typeof peerNames)[number];

export const changeNames = [
  'a move of up to a mile',
  'a move to another city',
  'other interests',
  'a ban',
  'the end of a ban',
] as const;
export type ChangeName = (typeof changeNames)[number];

export const wayNames = ['through gateway and pricing', 'pricing alone'] as const;
export type WayName = (typeof wayNames)[number];
