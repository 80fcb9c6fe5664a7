/** The routes that offers calls: a verdict on an upload or on a stored picture, and a rendition of a cleaned picture. */
import {
  pictureName,
  renditionQuery,
  type StoredVerdictReply,
  type VerdictReply,
} from '@offer-ads/contracts/internal/moderation-api';
import { pictureTypeOf } from '@offer-ads/contracts/pictures/picture-header';
import { MAX_IMAGE_BYTES } from '@offer-ads/contracts/values/offer-limits';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { rawBody } from '@offer-ads/platform/http/request-bodies';
import { uploadRoom } from '@offer-ads/platform/http/upload-room';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Express, Request, RequestHandler } from 'express';
import { z } from 'zod';
import type { Outcome } from '../domain/decision.ts';
import { Unopenable } from '../domain/picture-limits.ts';
import { leaveGarbage } from '../pictures/decoder.ts';
import type { Admission } from '../verdicts/admission.ts';
import { refused, type Upload } from '../verdicts/judge-picture.ts';

/** Six of the largest, or a hundred of the usual size. */
const maxBytesOfAll = 32 * 1024 * 1024;
/** Of a cleaned picture, and of all together whose renditions are made: they take no room from uploads. */
const maxCleanedBytes = 16 * 1024 * 1024;
const anyBytes = 'application/octet-stream';

/**
 * One second before offers stops waiting (decision 23, deadlines and outages: 10 s), so that offers learns whether the picture or the queue
 * took the time.
 */
const answerWithinMs = 9_000;

export type VerdictRoutes = {
  readonly caller: RequestHandler;
  readonly judge: (upload: Upload, signal: AbortSignal) => Promise<VerdictReply>;
  readonly outcomeOfStored: (cleanHash: string) => Promise<Outcome | undefined>;
};

const storedPicture = z.object({ clean_hash: pictureName });

const senderOf = (req: Request) => callerOf(req).organisationId;

export function mountVerdictRoutes(app: Express, o: VerdictRoutes): void {
  const picture = rawBody({ type: anyBytes, maxBytes: MAX_IMAGE_BYTES });
  const room = uploadRoom({ maxBytes: maxBytesOfAll, largestBytes: MAX_IMAGE_BYTES, senderOf });
  app.post('/internal/verdicts', o.caller, room, picture, async (req, res) => {
    const { mode, organisationId } = callerOf(req);
    const reply = await o.judge({ bytes: bytesOf(req), mode, organisationId }, signalOf(req));
    if (reply.verdict === 'allowed') res.type(reply.contentType).send(reply.bytes);
    else res.json(reply);
  });
  app.get('/internal/verdicts/:clean_hash', o.caller, async (req, res) => {
    const outcome = await o.outcomeOfStored(validInput(storedPicture, req.params).clean_hash);
    const reply =
      outcome?.verdict === 'refused' ? refused(outcome.reason) : ({ verdict: 'allowed' } as const);
    res.json(reply satisfies StoredVerdictReply);
  });
}

export function mountRenditionRoute(
  app: Express,
  o: { readonly caller: RequestHandler; readonly admission: Admission },
): void {
  const cleaned = rawBody({ type: anyBytes, maxBytes: maxCleanedBytes });
  const room = uploadRoom({ maxBytes: maxCleanedBytes, largestBytes: maxCleanedBytes, senderOf });
  app.post('/internal/renditions', o.caller, room, cleaned, async (req, res) => {
    const { width } = validInput(renditionQuery, req.query);
    const { organisationId } = callerOf(req);
    const bytes = bytesOf(req);
    const rendition = await o.admission
      .run({ bytes, organisation: organisationId }, signalOf(req), ({ decoder, signal }) =>
        decoder.run('rendition', [bytes, width], signal),
      )
      .catch(refuseUnopenable);
    // Only a picture of one of the types has a rendition.
    res.type(pictureTypeOf(rendition) ?? anyBytes).send(rendition);
  });
}

function refuseUnopenable(error: unknown): never {
  if (!(error instanceof Unopenable)) throw error;
  const publicMessage = `The picture has no rendition of this width: ${error.problem}`;
  throw new Fault(error.message, { status: 422, publicMessage, cause: error });
}

function bytesOf(req: Request): Uint8Array {
  const bytes: unknown = req.body;
  // The parts that it was read in, and in the end the whole.
  leaveGarbage(bytes);
  req.res?.once('close', () => leaveGarbage(bytes));
  // Express sets no body if it is empty or has another type; neither is a picture.
  return bytes instanceof Uint8Array ? bytes : new Uint8Array();
}

/** Nobody waits after this time, or when the caller has disconnected: then the picture leaves its queue, or its work stops. */
function signalOf(req: Request): AbortSignal {
  return requestFacts(req).deadline().whileAwaited().signal(answerWithinMs);
}
