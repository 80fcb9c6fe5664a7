/** PATCH /offers/{offer_id}: checks the request in the order of a creation (decision 9, order of checks), then edits the offer. */
import type { Request } from 'express';
import type { OffersContext } from '../context.ts';
import { readEditForm } from '../domain/creation/edit-form.ts';
import { editOffer } from '../lifecycle/edit-offer.ts';
import { readFormRequest } from './form-request.ts';
import { fingerprint } from './multipart.ts';
import { callOf, referenceOf } from './own-offer.ts';
import { type Reply, replayedHeaders, replyToEditRefusal } from './replies.ts';

export async function edit(o: OffersContext, req: Request): Promise<Reply> {
  const idempotencyKey = req.get('Idempotency-Key') ?? null;
  const request = await readFormRequest(req, idempotencyKey, readEditForm);
  if (!request.ok) return replyToEditRefusal(request);
  const { read, upload } = request;
  const reference = referenceOf(req);
  if (reference === null) return replyToEditRefusal({ reason: 'not-found' });

  const edited = await editOffer(o, {
    reference,
    edit: read.edit,
    picture: upload.picture,
    ...callOf(req),
    idempotencyKey,
    fingerprint: fingerprint(upload, `PATCH /offers/${reference.offerId}`),
  });
  if (!edited.ok) return replyToEditRefusal(edited);
  return { status: 200, body: edited.reply, ...(edited.replayed && replayedHeaders) };
}
