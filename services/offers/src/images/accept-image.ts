/** The picture that an offer gets: one that was sent with the form, or that of another offer. Moderation judges both. */
import { type Refused, refused } from '@offer-ads/contracts/values/refused';
import type { OffersContext } from '../context.ts';
import { findOfferOrDeleted } from '../offers-store.ts';
import type { CallContext } from '../other-services.ts';
import { hashOf } from './images.ts';
import { keepImage } from './images-store.ts';
import { storeImage } from './store-image.ts';

type ImageRefused = { readonly reason: 'image-refused'; readonly because: string };
export type UploadRefusal = ImageRefused | { readonly reason: 'image-unreadable'; readonly problem: string };
export type ReuseRefusal = ImageRefused | { readonly reason: 'image-offer-unknown' };

/** Its name in the store. It is not removed for half an hour, so that the offer can be written. */
type Accepted<Refusal extends object> = { readonly ok: true; readonly image: string } | Refused<Refusal>;

type ImagesContext = Pick<OffersContext, 'postgres' | 'images' | 'clock' | 'otherServices'>;

/** Members see the cleaned picture that moderation returns. */
export async function acceptImage(
  o: ImagesContext,
  call: CallContext,
  picture: Buffer,
): Promise<Accepted<UploadRefusal>> {
  const judged = await o.otherServices.judgePicture(call, picture);
  switch (judged.verdict) {
    case 'unreadable':
      return refused({ reason: 'image-unreadable', problem: judged.problem });
    case 'refused':
      return refused({ reason: 'image-refused', because: judged.reason });
    case 'allowed':
      return { ok: true, image: await storeImage(o, judged.bytes, judged.contentType, call.deadline) };
  }
}

/** The stored picture of an offer of the caller, also of a deleted one. The verdict may be another one than at its upload. */
export async function acceptImageOf(
  o: ImagesContext,
  call: CallContext,
  offerId: number,
): Promise<Accepted<ReuseRefusal>> {
  const { organisationId, mode } = call.caller;
  const offer = await findOfferOrDeleted(o.postgres, { offerId, organisationId, mode });
  if (offer === null || !(await keepImage(o.postgres, offer.image, o.clock.now())))
    return refused({ reason: 'image-offer-unknown' });
  const judged = await o.otherServices.judgeStoredPicture(call, hashOf(offer.image));
  return judged.verdict === 'refused'
    ? refused({ reason: 'image-refused', because: judged.reason })
    : { ok: true, image: offer.image };
}
