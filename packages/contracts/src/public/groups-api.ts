/** Offer groups in the public API as zod schemas: requests and replies (decision 270, offer groups). */
import { z } from 'zod';
import { ownNames, placeLimits } from '../values/places.ts';
import { currency, groupId, latitude, longitude, offerId, offerStatus } from '../values/primitives.ts';
import {
  analyticsSeriesReply,
  createOfferForm,
  eitherImage,
  estimateReply,
  estimateRequest,
  placeLabel,
  traffic,
} from './api.ts';

const place = z
  .object({
    latitude,
    longitude,
    label: z
      .string()
      .max(placeLimits.labelAtMost)
      .nullable()
      .optional()
      .meta({
        description: 'A name for you, such as that of the branch. Members do not see it.',
        examples: ['Soho'],
      }),
  })
  .meta({ id: 'Place' });

/** POST /offer-groups/price-estimate */
export const groupEstimateRequest = estimateRequest
  .omit({ location: true, quote: true })
  .extend({
    places: z
      .array(place)
      .min(1)
      .max(placeLimits.most)
      .meta({
        examples: [
          [
            { latitude: 51.5136, longitude: -0.1365, label: 'Soho' },
            { latitude: 51.5055, longitude: -0.0754, label: 'Borough' },
          ],
        ],
      }),
  })
  .meta({ id: 'GroupEstimateRequest' });
export const groupEstimateReply = estimateReply
  .pick({
    return_code: true,
    ad_units: true,
    ad_unit_price: true,
    estimated_cost: true,
    currency: true,
    exchange_rate_per_gbp: true,
    exchange_rate_date: true,
  })
  .extend({
    ad_units: z.number().meta({ description: 'Of all places together.' }),
    estimated_cost: z.number().nullable().meta({ description: 'The price of all offers, net of VAT.' }),
    places: z
      .array(
        estimateReply
          .pick({ ad_units: true, matching_users: true, estimated_cost: true, warnings: true })
          .extend({ label: placeLabel }),
      )
      .meta({ description: 'In the order of the request.' }),
  })
  .meta({ id: 'GroupEstimate' });
export type GroupEstimateReply = z.infer<typeof groupEstimateReply>;

/** The multipart form of POST /offer-groups. */
export const createGroupForm = createOfferForm
  .omit({ 'location[]': true, quote_id: true })
  .extend({
    places: z.string().meta({
      contentMediaType: 'application/json',
      description: `A JSON list of 1 to ${placeLimits.most} places: one offer each. \`label\`, of at most ${placeLimits.labelAtMost} characters, may be left out. A place may have values of its own, which replace those of the form: ${ownNames.join(', ')}. Its \`image\` is the file name of a picture: \`image\` may be sent several times, each with another file name.`,
      examples: ['[{"latitude":51.5136,"longitude":-0.1365,"label":"Soho"}]'],
    }),
  })
  .meta({ id: 'CreateGroupForm', override: eitherImage });
export const createGroupReply = z
  .object({
    return_code: z.literal('S1'),
    group_id: groupId,
    offers: z
      .array(
        z.object({
          offer_id: offerId,
          status: z.enum(['Awaiting Payment', 'Scheduled', 'Active']),
          label: placeLabel,
        }),
      )
      .meta({ description: 'In the order of the places.' }),
    payment_url: z
      .url()
      .nullable()
      .meta({ description: 'The payment link of method `E`, for all offers; null for method `B`.' }),
    currency,
  })
  .meta({ id: 'CreatedGroup' });
export type CreateGroupReply = z.infer<typeof createGroupReply>;

/** GET /offer-groups/{group_id} */
export const groupReply = z
  .object({
    group_id: groupId,
    title: z.string(),
    currency,
    payment_url: z
      .url()
      .nullable()
      .meta({ description: 'The payment link; null unless the group awaits payment.' }),
    offers: z
      .array(
        z.object({
          offer_id: offerId,
          label: placeLabel,
          latitude,
          longitude,
          offer_status: offerStatus,
          status: z.enum(['enabled', 'disabled']),
          cost: z.number().meta({ description: 'Net of VAT.' }),
          ...traffic,
        }),
      )
      .meta({ description: 'Without deleted ones.' }),
    totals: z
      .object({
        offers: z.int().nonnegative(),
        live: z.int().nonnegative().meta({ description: 'How many members are shown now.' }),
        ...traffic,
        spent: z.number().meta({ description: 'What was paid less what was credited, net of VAT.' }),
      })
      .meta({ description: 'Views, clicks and money count deleted offers too.' }),
  })
  .meta({ id: 'OfferGroup' });
export type GroupReply = z.infer<typeof groupReply>;

/** GET /offer-groups/{group_id}/analytics/series: the sums over its offers, deleted ones too. */
export const groupSeriesReply = analyticsSeriesReply
  .omit({ offer_id: true, status: true })
  .extend({ group_id: groupId })
  .meta({ id: 'GroupAnalyticsPoints' });
export type GroupSeriesReply = z.infer<typeof groupSeriesReply>;

/** POST /offer-groups/{group_id}/pause and /resume, DELETE /offer-groups/{group_id} */
export const groupChangeReply = z
  .object({
    return_code: z.literal('S1'),
    results: z.array(
      z.object({
        offer_id: offerId,
        done: z.boolean(),
        message: z.string().meta({ description: 'As for a single offer: what was done, or why it was not.' }),
      }),
    ),
  })
  .meta({ id: 'GroupChange' });
export type GroupChangeReply = z.infer<typeof groupChangeReply>;
