/** PATCH /offers/{offer_id}: checks the request in the order of a creation (decision 9, order of checks), then edits the offer. */
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Request, RequestHandler } from 'express';
import type { OffersContext } from '../context.ts';
import { readEditForm } from '../domain/creation/edit-form.ts';
import { editOffer } from '../lifecycle/edit-offer.ts';
import { readFormRequest } from './form-request.ts';
import { fingerprint } from './multipart.ts';
import { referenceOf } from './own-offer.ts';
import { type Reply, replayedHeaders, replyToEditRefusal, send } from './replies.ts';

export function editRoute(o: OffersContext): RequestHandler {
  return async (req, res) => {
    send(res, await reply(o, req));
  };
}

async function reply(o: OffersContext, req: Request): Promise<Reply> {
  const idempotencyKey = req.get('Idempotency-Key') ?? null;
  const request = await readFormRequest(req, idempotencyKey, readEditForm);
  if (!request.ok) return replyToEditRefusal(request.refusal);
  const { read, upload } = request;
  const reference = referenceOf(req);
  if (reference === null) return replyToEditRefusal({ reason: 'not-found' });

  const facts = requestFacts(req);
  const edited = await editOffer(o, {
    reference,
    edit: read.edit,
    picture: upload.picture,
    caller: callerOf(req),
    requestId: facts.requestId,
    receivedAt: facts.receivedAt,
    deadline: facts.deadline(),
    idempotencyKey,
    fingerprint: fingerprint(upload, `PATCH /offers/${reference.offerId}`),
  });
  if (!edited.ok) return replyToEditRefusal(edited.refusal);
  return { status: 200, body: edited.reply, ...(edited.replayed && replayedHeaders) };
}
