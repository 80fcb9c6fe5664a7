/**
 * The placements API of the community platform: which offers a member sees now, and which of them were seen (ADR 34). Called with a
 * placement key. A refusal is `{message}`, which names the field.
 */
import { z } from 'zod';
import { memberInterests, viewer } from '../events/community.ts';
import { renditionWidths } from '../pictures/renditions.ts';
import { category } from '../public/api.ts';
import { cardTexts } from '../values/offer-text-schemas.ts';
import { categoryId, latitude, longitude, memberGender, offerId } from '../values/primitives.ts';

/** Days are those of UTC. */
const dailyPseudonym = viewer.meta({
  description:
    'Pseudonym of the member: a new one for each member and day, so that it identifies nobody. Never an id of the member. With it, offers take ' +
    'turns, none is shown too often, and repeated views count once. Without it, each request is taken for another member.',
});

const oneOfTheWidths = `one of ${renditionWidths.join(', ')}`;
const imageWidth = z
  .literal(renditionWidths, { error: `must be ${oneOfTheWidths}` })
  .meta({ type: 'integer' });
const severalWidths = { error: `must be a list of 1 to 4 widths, each ${oneOfTheWidths}` };

/** POST /placements. Unknown fields are refused, because a misspelt one would show offers to members they are not for. */
export const placementsRequest = z
  .strictObject({
    latitude: latitude.meta({ description: 'Degrees. Rounded, used and forgotten.', examples: [51.5074] }),
    longitude: longitude.meta({ description: 'Degrees.', examples: [-0.1278] }),
    gender: memberGender,
    interests: memberInterests
      .default([])
      .meta({ description: 'Ids of interests of the catalogue.', examples: [[1, 2]] }),
    viewer: dailyPseudonym.optional(),
    wanted: z.int().min(1).max(20).default(3).meta({ description: 'How many offers at most.' }),
    without_categories: z
      .array(categoryId)
      .max(100)
      .default([])
      .meta({ description: 'Categories to leave out.' }),
    without_offers: z.array(offerId).max(500).default([]).meta({ description: 'Offers to leave out.' }),
    image_widths: z
      .array(imageWidth, severalWidths)
      .min(1, severalWidths)
      .max(4, severalWidths)
      .optional()
      .meta({
        description:
          'Widths in pixels in which the page can use the picture. With it, each offer has `image_renditions`.',
        examples: [[320, 640]],
      }),
  })
  .meta({ id: 'PlacementsRequest' });
export type PlacementsRequest = z.infer<typeof placementsRequest>;

export const imageRendition = z
  .object({
    width: z.int().positive().meta({ description: 'Pixels.' }),
    height: z.int().positive().meta({ description: 'Pixels.' }),
    url: z.url().meta({ description: 'Signed address; it expires with `image`.' }),
  })
  .meta({ id: 'ImageRendition' });

export const placement = z
  .object({
    offer_id: offerId,
    ...cardTexts,
    category,
    image: z
      .url()
      .meta({ description: 'Signed address of the picture; it expires after a day at the earliest.' }),
    image_renditions: z.array(imageRendition).min(1).max(4).optional().meta({
      description:
        'The picture in the widths of `image_widths`, the narrowest first. It is never enlarged: a greater width answers its own size, once. Only with `image_widths`.',
    }),
    click_url: z
      .url()
      .meta({ description: 'Counts a click and leads to the page of the offer. Good for a day.' }),
    view_token: z.string().max(512).meta({
      description:
        'To send to `POST /placements/views` when the offer was seen. Good for a day; counts once.',
    }),
  })
  .meta({ id: 'Placement' });
export type Placement = z.infer<typeof placement>;

export const placementsReply = z
  .object({ placements: z.array(placement).max(20) })
  .meta({ id: 'Placements' });
export type PlacementsReply = z.infer<typeof placementsReply>;

/** POST /placements/views */
export const viewsRequest = z
  .strictObject({
    view_tokens: z.array(z.string().min(1).max(512)).min(1).max(500).meta({
      description:
        'Tokens of offers that were seen, in any order. A token that was sent before changes nothing.',
    }),
  })
  .meta({ id: 'ViewsRequest' });
export type ViewsRequest = z.infer<typeof viewsRequest>;

export const viewsReply = z
  .object({
    accepted: z
      .int()
      .nonnegative()
      .meta({ description: 'Genuine tokens that have not expired, also those sent before.' }),
    refused: z.array(z.int().nonnegative()).meta({
      description:
        'Places, from 0, of the tokens that are not genuine or have expired. Sending them again does not help.',
    }),
  })
  .meta({ id: 'Views' });
export type ViewsReply = z.infer<typeof viewsReply>;
