/**
 * All offers of a mode that have not ended, for a follower of the events that starts anew (decision 212, running offers and events). Each is a
 * CloudEvent that is only read here and never published. It says what the events of the offer have said until now, and nothing else.
 */
import { z } from 'zod';
import { eventAttributes } from '../events/cloud-events.ts';
import { OfferCreated } from '../events/offers.ts';
import { GREATEST_ID, instant } from '../values/primitives.ts';

/** GET /placements/offers? */
export const runningOffersQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,9}$/, 'must be the next_cursor of a page before')
    .transform(Number)
    .refine((offerId) => offerId <= GREATEST_ID, 'must be the next_cursor of a page before')
    .optional()
    .meta({ type: 'string', description: 'The `next_cursor` of the page before.' }),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a number from 1 to 200')
    .transform(Number)
    .pipe(z.int().min(1).max(200))
    .default(100)
    .meta({
      description: 'How many offers at most.',
      override: ({ jsonSchema }) => {
        delete jsonSchema.pattern;
        Object.assign(jsonSchema, { type: 'integer', minimum: 1, maximum: 200 });
      },
    }),
});

/** As `eventType` names events. */
export const offerStateType = 'offer-ads.offers.OfferState.v1';

/** Whether it was paid later is in no event that the community platform follows: an offer that was activated is paid. */
export const offerState = OfferCreated.schema
  .omit({ paid: true })
  .extend({
    activated: z.boolean().meta({
      description: '`OfferActivated` was published. It is published once, whatever happens afterwards.',
    }),
    pausedAt: instant.nullable().meta({ description: 'Of `OfferPaused`; null: it is not paused.' }),
    disabledAt: instant.nullable().meta({ description: 'Of `OfferDisabled`; null: it is not disabled.' }),
  })
  .meta({ id: 'OfferState' });
export type OfferState = z.infer<typeof offerState>;

export const offerStateEvent = z
  .object({
    ...eventAttributes.shape,
    id: z.uuid().meta({ description: 'The same for the same state of an offer.' }),
    type: z.literal(offerStateType),
    subjectversion: z.int().positive().meta({
      description:
        'The subject version of the latest event that is in this state. Events of the offer up to it say nothing new.',
    }),
    datacontenttype: z.literal('application/json'),
    data: offerState,
  })
  .meta({ id: 'OfferStateEvent' });
export type OfferStateEvent = z.infer<typeof offerStateEvent>;

export const runningOffersReply = z
  .object({
    offers: z
      .array(offerStateEvent)
      .max(200)
      .meta({ description: 'Also those that are paused, disabled, scheduled, or not paid yet.' }),
    next_cursor: z.string().nullable().meta({ description: 'Null: this is the last page.' }),
  })
  .meta({ id: 'RunningOffers' });
export type RunningOffersReply = z.infer<typeof runningOffersReply>;
