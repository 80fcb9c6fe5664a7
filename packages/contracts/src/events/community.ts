/** Events of the community platform, which is outside of this system and publishes to its exchange. */
import { z } from 'zod';
import {
  anyInstant,
  interestId,
  latitude,
  longitude,
  memberGender,
  memberId,
  offerId,
} from '../values/primitives.ts';
import { declareEvent } from './event-declaration.ts';

/** Orders the changes of one member. A version that is not higher than the stored one is ignored. */
const memberVersion = z.int().nonnegative();

/** Each interest once: a list with repetitions was built by faulty code, so its other values cannot be trusted either. */
export const memberInterests = z
  .array(interestId)
  .max(512)
  .refine((ids) => new Set(ids).size === ids.length, 'must name each interest once')
  .meta({ uniqueItems: true });

export const memberFacts = z.object({
  memberId,
  latitude,
  longitude,
  gender: memberGender,
  interests: memberInterests,
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
  positions: ['latitude', 'longitude'],
  bulk: true,
  meaning: 'A member joined, moved, changed interests or gender, was banned or became (in)active.',
});

export const MemberRemoved = declareEvent({
  name: 'MemberRemoved',
  version: 1,
  owner: 'community',
  consumers: ['pricing'],
  schema: z.object({ memberId, version: memberVersion }),
  bulk: true,
  meaning: 'A member left; all their data is deleted.',
});

/** 1 to 64 characters. */
export const viewer = z.string().min(1).max(64);

/** The common fields of views and clicks. Decision 50, views and clicks, says which ones count. */
const traffic = z.object({
  offerId,
  viewer: viewer.optional().meta({
    description:
      'Pseudonym of the viewer: a new one for each member and day, so that it identifies nobody. Never an id of the member. ' +
      'At most one view and one click per viewer, offer and hour count; none count of a viewer who sees more than 100 different offers in ' +
      'an hour. Events without a viewer always count.',
  }),
  automated: z.boolean().optional().meta({
    description:
      'True when the platform knows that the viewer was not a person. Such events are stored separately and never count.',
  }),
});
export type Traffic = z.infer<typeof traffic>;

export const OfferViewed = declareEvent({
  name: 'OfferViewed',
  version: 1,
  owner: 'community',
  consumers: ['offers'],
  schema: traffic.extend({ viewedAt: anyInstant }),
  bulk: true,
  meaning: 'An offer was shown to somebody.',
});

export const OfferClicked = declareEvent({
  name: 'OfferClicked',
  version: 1,
  owner: 'community',
  consumers: ['offers'],
  schema: traffic.extend({ clickedAt: anyInstant }),
  bulk: true,
  meaning: 'Somebody opened the page of an offer.',
});
