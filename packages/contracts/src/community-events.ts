/** Events of the community platform, which lives outside this system and publishes to its exchange. */
import { z } from 'zod';
import { declareEvent } from './event-declaration.ts';
import { instant, interestId, latitude, longitude, memberGender, memberId, offerId } from './primitives.ts';

/** Orders the changes of one member; a lower or equal version than the stored one is ignored. */
const memberVersion = z.int().nonnegative();

export const memberFacts = z.object({
  memberId,
  latitude,
  longitude,
  gender: memberGender,
  interests: z.array(interestId).max(512),
  active: z.boolean(),
  banned: z.boolean(),
});
export type MemberFacts = z.infer<typeof memberFacts>;

export const MemberChanged = declareEvent({
  name: 'MemberChanged',
  version: 1,
  owner: 'community',
  consumers: ['pricing'],
  schema: memberFacts.extend({ version: memberVersion }),
  meaning: 'A member joined, moved, changed interests or gender, was banned or became (in)active.',
});

export const MemberRemoved = declareEvent({
  name: 'MemberRemoved',
  version: 1,
  owner: 'community',
  consumers: ['pricing'],
  schema: z.object({ memberId, version: memberVersion }),
  meaning: 'A member left; nothing of them is kept.',
});

export const OfferViewed = declareEvent({
  name: 'OfferViewed',
  version: 1,
  owner: 'community',
  consumers: ['offers'],
  schema: z.object({ offerId, viewedAt: instant }),
  meaning: 'A member saw an offer.',
});

export const OfferClicked = declareEvent({
  name: 'OfferClicked',
  version: 1,
  owner: 'community',
  consumers: ['offers'],
  schema: z.object({ offerId, clickedAt: instant }),
  meaning: 'A member opened the page of an offer.',
});
