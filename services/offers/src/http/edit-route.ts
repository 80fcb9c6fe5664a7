/** PATCH /offers/{offer_id}: checks the request in the order of a creation (decision 9, order of checks), then edits the offer. */
import { readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import { isIdempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Request, RequestHandler } from 'express';
import type { OffersContext } from '../context.ts';
import { readEditForm } from '../domain/creation/edit-form.ts';
import { GREATEST_PICTURE_FRAMES, namedMode } from '../domain/creation/offer-form.ts';
import { editOffer } from '../lifecycle/edit-offer.ts';
import { fingerprint, readUpload } from './multipart.ts';
import { referenceOf } from './own-offer.ts';
import { type Reply, replayedHeaders, replyToEditRefusal, send } from './replies.ts';

export function editRoute(o: OffersContext): RequestHandler {
  return async (req, res) => {
    send(res, await reply(o, req));
  };
}

async function reply(o: OffersContext, req: Request): Promise<Reply> {
  const caller = callerOf(req);
  const idempotencyKey = req.get('Idempotency-Key') ?? null;
  // The body is read before any refusal is sent, because many clients read the response only after sending the body.
  const upload = await readUpload(req);
  if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey))
    return replyToEditRefusal({ reason: 'key-malformed' });
  if (!upload.ok)
    return replyToEditRefusal({ reason: 'broken-form', status: upload.status, faults: upload.faults });

  const { fields, picture } = upload.form;
  const mode = namedMode(fields);
  if (mode !== null && mode !== caller.mode)
    return replyToEditRefusal({ reason: 'other-mode', keyMode: caller.mode });
  const header = picture === null ? null : readPictureHeader(picture, GREATEST_PICTURE_FRAMES);
  const read = readEditForm(fields, header);
  if (!read.ok) return replyToEditRefusal({ reason: 'invalid-input', faults: read.faults });
  const reference = referenceOf(req);
  if (reference === null) return replyToEditRefusal({ reason: 'not-found' });

  const facts = requestFacts(req);
  const edited = await editOffer(o, {
    reference,
    edit: read.edit,
    picture,
    caller,
    requestId: facts.requestId,
    receivedAt: facts.receivedAt,
    deadline: facts.deadline(),
    idempotencyKey,
    fingerprint: fingerprint(upload.form, `PATCH /offers/${reference.offerId}`),
  });
  if (!edited.ok) return replyToEditRefusal(edited.refusal);
  return { status: 200, body: edited.reply, ...(edited.replayed && replayedHeaders) };
}
