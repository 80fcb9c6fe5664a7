/** POST /offers: checks the request in order (decision 9, order of checks), then creates the offer. */

import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import { isIdempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { refused } from '@offer-ads/contracts/values/refused';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Request, RequestHandler } from 'express';
import type { OffersContext } from '../context.ts';
import { createOffer } from '../creation/create-offer.ts';
import {
  GREATEST_PICTURE_FRAMES,
  namedMode,
  type OfferForm,
  readOfferForm,
} from '../domain/creation/offer-form.ts';
import { fingerprint, readUpload } from './multipart.ts';
import {
  type CreateRequestRefusal,
  type Reply,
  replayedHeaders,
  replyToCreateRefusal,
  send,
} from './replies.ts';

export function createRoute(o: OffersContext): RequestHandler {
  return async (req, res) => {
    send(res, await reply(o, req));
  };
}

async function reply(o: OffersContext, req: Request): Promise<Reply> {
  const caller = callerOf(req);
  const read = await readRequest(req, caller);
  if (!read.ok) return replyToCreateRefusal(read.refusal);
  const facts = requestFacts(req);
  const created = await createOffer(o, {
    ...read.request,
    caller,
    requestId: facts.requestId,
    receivedAt: facts.receivedAt,
    deadline: facts.deadline(),
  });
  if (!created.ok) return replyToCreateRefusal(created.refusal);
  return {
    status: 200,
    body: created.reply,
    ...(created.replayed && replayedHeaders),
  };
}

type RequestRead = {
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly form: OfferForm;
  readonly picture: Buffer | null;
};

type ReadResult =
  | { readonly ok: true; readonly request: RequestRead }
  | { readonly ok: false; readonly refusal: CreateRequestRefusal };

async function readRequest(req: Request, caller: CallerContext): Promise<ReadResult> {
  const idempotencyKey = req.get('Idempotency-Key') ?? '';
  // The body is read before any refusal is sent, because many clients read the response only after sending the body.
  const upload = await readUpload(req);
  if (idempotencyKey === '') return refused({ reason: 'key-missing' });
  if (!isIdempotencyKey(idempotencyKey)) return refused({ reason: 'key-malformed' });
  if (!upload.ok) return refused({ reason: 'broken-form', status: upload.status, faults: upload.faults });

  const { fields, picture } = upload.form;
  const mode = namedMode(fields);
  if (mode !== null && mode !== caller.mode) return refused({ reason: 'other-mode', keyMode: caller.mode });
  const facts = picture === null ? null : readPictureHeader(picture, GREATEST_PICTURE_FRAMES);
  const read = readOfferForm(fields, facts);
  if (!read.ok) return refused({ reason: 'invalid-input', faults: read.faults });
  return {
    ok: true,
    request: { idempotencyKey, fingerprint: fingerprint(upload.form), form: read.form, picture },
  };
}
