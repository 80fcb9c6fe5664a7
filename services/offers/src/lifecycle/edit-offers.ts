/**
 * Editing what members see of an offer (decision 239, editing an offer), or of all offers of a group. The picture is judged and stored first;
 * then one transaction changes all given values of all offers, or none. A picture whose edit then fails is removed like that of a refused
 * creation.
 */
import type { UpdateReply } from '@offer-ads/contracts/public/api';
import { type Refused, refused } from '@offer-ads/contracts/values/refused';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { isCategoryKnown } from '../catalogue-store.ts';
import type { OffersContext } from '../context.ts';
import { finishEdit, freeKey, type Hold } from '../creation/idempotency-store.ts';
import { type KeyRefusal, type Outcome, withKey } from '../creation/with-key.ts';
import { type Edit, type EditRefusal, editAll } from '../domain/lifecycle/edit-content.ts';
import type { Offer } from '../domain/offer.ts';
import { acceptImage, type UploadRefusal } from '../images/accept-image.ts';
import { replaceImage } from '../images/images-store.ts';
import { findTogether, saveContent, type Together, updateTogether } from '../offers-store.ts';
import type { CallContext } from '../other-services.ts';
import { nowIn } from '../test-clock/test-clock-store.ts';
import { noteChange } from './changes-store.ts';
import { fieldOf, updated } from './offer-events.ts';

export type EditRequest = CallContext & {
  /** One offer, or those of a group. */
  readonly target: Together;
  /** What a success says. */
  readonly done: string;
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
  | { readonly reason: EditRefusal | 'terms-not-accepted' }
  | { readonly reason: 'unknown-category' }
  | KeyRefusal
  | UploadRefusal;

export type EditOutcome = Outcome<UpdateReply, EditOfferRefusal>;

/** @throws the 503 fault before any work if the organisation has too many creations and edits running */
export async function editOffers(o: OffersContext, request: EditRequest): Promise<EditOutcome> {
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
  const { receivedAt, caller: by } = request;
  const reply: UpdateReply = { return_code: 'S1', message: request.done };
  const decide = (offers: readonly Offer[], now: Date) => {
    const edited = editAll(offers, change, now, receivedAt);
    if (!edited.ok) return edited;
    const changes = edited.edits.map(({ offer, changed, before }) => {
      const imageUrl = o.addresses.sign(offer.image, offer.expiryAt);
      const events = changed.length === 0 ? [] : [updated(offer, { imageUrl, changed }, now)];
      return { offer, events, changed, before };
    });
    return { ok: true, changes, at: now } as const;
  };
  const changed = await updateTogether(
    o.postgres,
    request.target,
    receivedAt,
    decide,
    request.deadline,
    async (tx, { changes, at }) => {
      const replaced = changes.filter(({ changed }) => changed.includes('image'));
      const from = replaced.map(({ before }) => before.image);
      const to = replaced[0]?.offer.image;
      if (to !== undefined && !(await replaceImage(tx, { from, to, now: receivedAt })))
        throw serviceUnavailable('the new picture was removed before the edit was written');
      for (const { offer, changed } of changes) {
        if (changed.length === 0) continue;
        await saveContent(tx, offer);
        await noteChange(tx, offer.offerId, { what: 'edited', by, at, fields: changed.map(fieldOf) });
      }
      const [first] = changes;
      if (hold !== null && first !== undefined) await finishEdit(tx, hold, first.offer.offerId, reply);
    },
  );
  return changed.ok ? { ok: true, reply, replayed: false } : refused({ reason: changed.reason });
}

type Checked = { readonly ok: true; readonly name: string | null } | Refused<EditOfferRefusal>;

/** Everything that can refuse the edit before the offers are locked, the picture last because it is the slowest. */
async function check(o: OffersContext, request: EditRequest): Promise<Checked> {
  const { caller, target, receivedAt, picture } = request;
  const offers = await findTogether(o.postgres, target);
  const possible = editAll(offers, request.edit, await nowIn(o.postgres, target, receivedAt), receivedAt);
  if (!possible.ok) return refused({ reason: possible.reason });
  // An offer keeps its category when that becomes inactive.
  const given = possible.edits.find(({ changed }) => changed.includes('categoryId'))?.offer.categoryId;
  if (given !== undefined && !(await isCategoryKnown(o.postgres, caller.organisationId, given)))
    return refused({ reason: 'unknown-category' });
  if (!caller.termsAccepted) return refused({ reason: 'terms-not-accepted' });
  if (picture === null) return { ok: true, name: null };
  const accepted = await acceptImage(o, request, picture);
  return accepted.ok ? { ok: true, name: accepted.image } : accepted;
}
