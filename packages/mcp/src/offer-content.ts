/** What members see of an offer, as a tool takes it. A picture comes as bytes or from an earlier offer, never from an address. */
import { createOfferForm } from '@offer-ads/contracts/public/api';
import { idempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { eachFormText } from '@offer-ads/contracts/values/offer-text-schemas';
import { z } from 'zod';

/** Of the largest picture. */
const mostBase64 = 4 * Math.ceil((offerLimits.imageMegabytes * 1_024 * 1_024) / 3);

const imageBase64 = z
  .base64()
  .max(mostBase64)
  .meta({
    description: `The bytes of a JPG, PNG or GIF in base64, at most ${offerLimits.imageMegabytes} MB.`,
  });

/** One of the two. */
export const picture = {
  image_offer_id: createOfferForm.shape.image_offer_id,
  image_base64: imageBase64.optional(),
};

export const offerContent = createOfferForm
  .pick({ category_id: true, ...eachFormText, url: true })
  .extend(picture);

export const changedContent = offerContent
  .omit({ image_offer_id: true })
  .partial()
  .extend({ idempotency_key: idempotencyKey.optional() });

/** The content with the picture as the SDK takes it. */
export function pictureOf<T extends { readonly image_base64?: string | undefined }>({
  image_base64,
  ...content
}: T): Omit<T, 'image_base64'> & { readonly image?: Uint8Array } {
  return { ...content, ...(image_base64 !== undefined && { image: Buffer.from(image_base64, 'base64') }) };
}
