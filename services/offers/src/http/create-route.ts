/** POST /offers: checks the request in order (decision 9, order of checks), then creates the offer. */
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Request, RequestHandler } from 'express';
import type { OffersContext } from '../context.ts';
import { createOffer } from '../creation/create-offer.ts';
import { readOfferForm } from '../domain/creation/offer-form.ts';
import { readFormRequest } from './form-request.ts';
import { fingerprint } from './multipart.ts';
import { type Reply, replayedHeaders, replyToCreateRefusal, send } from './replies.ts';

export function createRoute(o: OffersContext): RequestHandler {
  return async (req, res) => {
    send(res, await reply(o, req));
  };
}

async function reply(o: OffersContext, req: Request): Promise<Reply> {
  const idempotencyKey = req.get('Idempotency-Key') ?? '';
  const request = await readFormRequest(req, idempotencyKey === '' ? null : idempotencyKey, readOfferForm);
  if (idempotencyKey === '') return replyToCreateRefusal({ reason: 'key-missing' });
  if (!request.ok) return replyToCreateRefusal(request.refusal);
  const { read, upload } = request;
  const facts = requestFacts(req);
  const created = await createOffer(o, {
    idempotencyKey,
    fingerprint: fingerprint(upload),
    form: read.form,
    picture: upload.picture,
    caller: callerOf(req),
    requestId: facts.requestId,
    receivedAt: facts.receivedAt,
    deadline: facts.deadline(),
  });
  if (!created.ok) return replyToCreateRefusal(created.refusal);
  return { status: 200, body: created.reply, ...(created.replayed && replayedHeaders) };
}
