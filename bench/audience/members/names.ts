/** The rows of the tables, in their order. */

export const peerNames = ['the grid', 'PostGIS', 'MongoDB 2dsphere'] as const;
export type PeerName = (typeof peerNames)[number];

export const changeNames = [
  'a move of up to a mile',
  'a move to another city',
  'other interests',
  'a ban and its end',
] as const;
export type ChangeName = (typeof changeNames)[number];
