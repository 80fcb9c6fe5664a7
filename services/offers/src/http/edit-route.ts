/** PATCH /offers/{offer_id} and /offer-groups/{group_id}: checks the request in the order of a creation (decision 9, order of checks), then edits. */
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import type { Request } from 'express';
import type { OffersContext } from '../context.ts';
import { readEditForm } from '../domain/creation/edit-form.ts';
import { onlyPicture } from '../domain/creation/offer-form.ts';
import { parseId } from '../domain/offer-id.ts';
import { editOffers } from '../lifecycle/edit-offers.ts';
import { alone, ofGroup } from '../offers-store.ts';
import { readFormRequest } from './form-request.ts';
import { fingerprint } from './multipart.ts';
import { callOf } from './own-offer.ts';
import { groupReplies, type Reply, replayedHeaders, replyToEditRefusal } from './replies.ts';

const kinds = {
  offer: {
    parameter: 'offer_id',
    path: '/offers',
    done: 'Offer has been updated',
    notFound: replyToEditRefusal({ reason: 'not-found' }),
  },
  group: {
    parameter: 'group_id',
    path: '/offer-groups',
    done: 'Offers have been updated',
    notFound: groupReplies['not-found'],
  },
};

export async function edit(o: OffersContext, req: Request, kind: keyof typeof kinds): Promise<Reply> {
  const { parameter, path, done, notFound } = kinds[kind];
  const idempotencyKey = req.get('Idempotency-Key') ?? null;
  const request = await readFormRequest(req, idempotencyKey, (fields, pictures) =>
    readEditForm(fields, onlyPicture(pictures)),
  );
  if (!request.ok) return replyToEditRefusal(request);
  const { read, upload } = request;
  const id = parseId(String(req.params[parameter]));
  if (id === undefined) return notFound;

  const caller = callerOf(req);
  const edited = await editOffers(o, {
    target: kind === 'offer' ? alone({ ...caller, offerId: id }) : ofGroup(caller, id),
    done,
    edit: read.edit,
    picture: onlyPicture(upload.pictures),
    ...callOf(req),
    idempotencyKey,
    fingerprint: fingerprint(upload, `PATCH ${path}/${id}`),
  });
  if (edited.ok) return { status: 200, body: edited.reply, ...(edited.replayed && replayedHeaders) };
  return edited.reason === 'not-found' ? notFound : replyToEditRefusal(edited);
}
