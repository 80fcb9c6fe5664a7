/**
 * Editing what members see of an offer (decision 239, editing an offer). The picture is judged and stored first; then one transaction changes
 * all given values or none. A picture whose edit then fails is removed like that of a refused creation.
 */
import type { UpdateReply } from '@offer-ads/contracts/public/api';
import { type Refused, refused } from '@offer-ads/contracts/values/refused';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { isCategoryKnown } from '../catalogue-store.ts';
import type { OffersContext } from '../context.ts';
import { finishEdit, freeKey, type Hold } from '../creation/idempotency-store.ts';
import { type KeyRefusal, type Outcome, withKey } from '../creation/with-key.ts';
import { type Edit, type EditRefusal, edit } from '../domain/lifecycle/edit-content.ts';
import type { Offer } from '../domain/offer.ts';
import { acceptImage, type UploadRefusal } from '../images/accept-image.ts';
import { replaceImage } from '../images/images-store.ts';
import { findOffer, type OfferReference, saveContent, updateOffer } from '../offers-store.ts';
import type { CallContext } from '../other-services.ts';
import { nowIn } from '../test-clock/test-clock-store.ts';
import { noteChange } from './changes-store.ts';
import { fieldOf, updated } from './offer-events.ts';

export type EditRequest = CallContext & {
  readonly reference: OfferReference;
  readonly edit: Omit<Edit, 'image'>;
  /** Null: the picture stays. */
  readonly picture: Buffer | null;
  /** The real time. */
  readonly receivedAt: Date;
  /** Null: none was sent. Then a repeat is an edit of its own. */
  readonly idempotencyKey: string | null;
  /** SHA-256 over the path, every field and the bytes of the image. */
  readonly fingerprint: Buffer;
};

export type EditOfferRefusal =
  | { readonly reason: EditRefusal | 'unknown-category' | 'terms-not-accepted' }
  | KeyRefusal
  | UploadRefusal;

export type EditOutcome = Outcome<UpdateReply, EditOfferRefusal>;

const reply: UpdateReply = { return_code: 'S1', message: 'Offer has been updated' };

/** @throws the 503 fault before any work if the organisation has too many creations and edits running */
export async function editOffer(o: OffersContext, request: EditRequest): Promise<EditOutcome> {
  const { organisationId, mode } = request.caller;
  const { idempotencyKey } = request;
  return o.creations.run(`${organisationId}/${mode}`, () =>
    idempotencyKey === null
      ? proceed(o, request, null)
      : withKey<UpdateReply, EditOfferRefusal>(o, { ...request, idempotencyKey }, async (hold) => {
          const edited = await proceed(o, request, hold);
          if (!edited.ok) await freeKey(o.postgres, hold);
          return edited;
        }),
  );
}

async function proceed(o: OffersContext, request: EditRequest, hold: Hold | null): Promise<EditOutcome> {
  const deadline = request.deadline.whileAwaited();
  const image = await check(o, { ...request, deadline });
  if (!image.ok) return image;
  deadline.stopIfGone();
  const change = { ...request.edit, ...(image.name !== null && { image: image.name }) };
  const { receivedAt } = request;
  const decide = (offer: Offer, now: Date) => {
    const edited = edit(offer, change, now, receivedAt);
    if (!edited.ok) return edited;
    const { offer: next, changed } = edited;
    const imageUrl = o.addresses.sign(next.image, next.expiryAt);
    const events = changed.length === 0 ? [] : [updated(next, { imageUrl, changed }, now)];
    return { ...edited, events, oldImage: offer.image, at: now };
  };
  const changed = await updateOffer(
    o.postgres,
    request.reference,
    receivedAt,
    decide,
    request.deadline,
    async (tx, { offer, changed, oldImage, at }) => {
      if (
        changed.includes('image') &&
        !(await replaceImage(tx, { from: oldImage, to: offer.image, now: receivedAt }))
      )
        throw serviceUnavailable('the new picture was removed before the edit was written');
      if (changed.length > 0) {
        await saveContent(tx, offer);
        const { caller: by } = request;
        await noteChange(tx, offer.offerId, { what: 'edited', by, at, fields: changed.map(fieldOf) });
      }
      if (hold !== null) await finishEdit(tx, hold, offer.offerId, reply);
    },
  );
  return changed.ok ? { ok: true, reply, replayed: false } : refused({ reason: changed.reason });
}

type Checked = { readonly ok: true; readonly name: string | null } | Refused<EditOfferRefusal>;

/** Everything that can refuse the edit before the offer is locked, the picture last because it is the slowest. */
async function check(o: OffersContext, request: EditRequest): Promise<Checked> {
  const { caller, reference, receivedAt, picture } = request;
  const offer = await findOffer(o.postgres, reference);
  if (offer === null) return refused({ reason: 'not-found' });
  const now = await nowIn(o.postgres, offer, receivedAt);
  const possible = edit(offer, request.edit, now);
  if (!possible.ok) return refused({ reason: possible.reason });
  // An offer keeps its category when that becomes inactive.
  const isNewCategory = possible.changed.includes('categoryId');
  if (isNewCategory && !(await isCategoryKnown(o.postgres, caller.organisationId, possible.offer.categoryId)))
    return refused({ reason: 'unknown-category' });
  if (!caller.termsAccepted) return refused({ reason: 'terms-not-accepted' });
  if (picture === null) return { ok: true, name: null };
  const accepted = await acceptImage(o, request, picture);
  return accepted.ok ? { ok: true, name: accepted.image } : accepted;
}
