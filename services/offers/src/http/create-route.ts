/** POST /offers and POST /offer-groups: checks the request in order (decision 9, order of checks), then creates the offers. */
import type { GroupCheckReply } from '@offer-ads/contracts/portal/offers-api';
import type { Request } from 'express';
import type { OffersContext } from '../context.ts';
import { checkCreation } from '../creation/check-creation.ts';
import { createOffer } from '../creation/create-offer.ts';
import { readGroupForm, readOfferForm } from '../domain/creation/offer-form.ts';
import { readFormRequest } from './form-request.ts';
import { fingerprint } from './multipart.ts';
import { callOf, nowOf } from './own-offer.ts';
import { type Reply, replayedHeaders, replyToCreateRefusal } from './replies.ts';

const kinds = {
  offer: { readForm: readOfferForm, path: '', isOfGroup: false },
  group: { readForm: readGroupForm, path: 'POST /offer-groups', isOfGroup: true },
};

export async function create(o: OffersContext, req: Request, kind: keyof typeof kinds): Promise<Reply> {
  const { readForm, path, isOfGroup } = kinds[kind];
  const idempotencyKey = req.get('Idempotency-Key') ?? '';
  const request = await readFormRequest(req, idempotencyKey || null, readForm, isOfGroup);
  if (idempotencyKey === '') return replyToCreateRefusal({ reason: 'key-missing' });
  if (!request.ok) return replyToCreateRefusal(request);
  const { read, upload } = request;
  const created = await createOffer(o, {
    idempotencyKey,
    fingerprint: fingerprint(upload, path),
    form: read.form,
    pictures: upload.pictures,
    ...callOf(req),
  });
  if (!created.ok) return replyToCreateRefusal(created);
  return { status: 200, body: created.reply, ...(created.replayed && replayedHeaders) };
}

/** POST /portal/offer-groups/check: every fault of a group's form or, if there is none, the price of each offer. Nothing is bought. */
export async function check(o: OffersContext, req: Request): Promise<Reply> {
  const request = await readFormRequest(req, null, readGroupForm, true);
  if (!request.ok) return replyToCreateRefusal(request);
  const { form } = request.read;
  const call = callOf(req);
  const now = await nowOf(o, req);
  const deadline = call.deadline.whileAwaited();
  const asked = { ...call, form, pictures: request.upload.pictures, now, deadline, isUnpaid: true } as const;
  const checked = await checkCreation(o, asked);
  if (!checked.ok) return replyToCreateRefusal(checked);
  const body: GroupCheckReply = {
    currency: call.caller.currency,
    offers: checked.checks.map(({ netMinor, matchingUsers, quoteId }) => ({
      cost_minor: `${netMinor}`,
      matching_users: matchingUsers,
      quote_id: quoteId,
    })),
  };
  return { status: 200, body };
}
