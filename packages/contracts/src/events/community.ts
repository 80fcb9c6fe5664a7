/** Events of the community platform, which lives outside this system and publishes to its exchange. */
import { z } from 'zod';
import {
  instant,
  interestId,
  latitude,
  longitude,
  memberGender,
  memberId,
  offerId,
} from '../values/primitives.ts';
import { declareEvent } from './event-declaration.ts';

/** Orders the changes of one member; a lower or equal version than the stored one is ignored. */
const memberVersion = z.int().nonnegative();

/** Each once: a list that repeats itself was put together wrongly, and nobody can say what else of it is wrong. */
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

/** What views and clicks have in common. The rule of what counts is decision 50, views and clicks. */
const traffic = z.object({
  offerId,
  viewer: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({
      description:
        'Pseudonym of the viewer, made anew for each member and day, so that it names nobody; never an id of the member. ' +
        'One view and one click per viewer, offer and hour count, and none of a viewer of more than 100 different offers in an ' +
        'hour. Without it every one counts.',
    }),
  automated: z.boolean().optional().meta({
    description:
      'True when the platform knows that it was no person. Such a one is kept apart and never counts.',
  }),
});
export type Traffic = z.infer<typeof traffic>;

export const OfferViewed = declareEvent({
  name: 'OfferViewed',
  version: 1,
  owner: 'community',
  consumers: ['offers'],
  schema: traffic.extend({ viewedAt: instant }),
  meaning: 'An offer was shown to somebody.',
});

export const OfferClicked = declareEvent({
  name: 'OfferClicked',
  version: 1,
  owner: 'community',
  consumers: ['offers'],
  schema: traffic.extend({ clickedAt: instant }),
  meaning: 'Somebody opened the page of an offer.',
});
