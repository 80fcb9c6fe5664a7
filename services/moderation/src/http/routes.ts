/** The route that offers calls: bytes in, verdict out. */
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { rawBody } from '@offer-ads/platform/http/request-bodies';
import { uploadRoom } from '@offer-ads/platform/http/upload-room';
import type { Express, RequestHandler } from 'express';
import type { Upload } from '../verdicts/judge-picture.ts';

/** Decision 18, image limits: 5,242,880 bytes are accepted, one more is refused. */
const maxBytes = 5 * 1024 * 1024;
/** Six of the largest, or a hundred of the usual size. */
const maxBytesOfAll = 32 * 1024 * 1024;

/**
 * One second before offers stops waiting (decision 23, deadlines and outages: 10 s), so that offers learns whether the picture or the queue
 * took the time.
 */
const answerWithinMs = 9_000;

export type VerdictRoutes = {
  readonly caller: RequestHandler;
  readonly judge: (upload: Upload, signal: AbortSignal) => Promise<VerdictReply>;
};

export function mountVerdictRoutes(app: Express, o: VerdictRoutes): void {
  const picture = rawBody({ type: 'application/octet-stream', maxBytes });
  const room = uploadRoom({ maxBytes: maxBytesOfAll, largestBytes: maxBytes });
  app.post('/internal/verdicts', o.caller, room, picture, async (req, res) => {
    const bytes: unknown = req.body;
    // Express sets no body if it is empty or has another type; neither is a picture.
    const given = bytes instanceof Uint8Array ? bytes : new Uint8Array();
    const { mode, organisationId } = callerOf(req);
    // Nobody waits after this time, or when the caller has disconnected: then the picture leaves its line, or its work stops.
    const signal = requestFacts(req).deadline().whileAwaited().signal(answerWithinMs);
    const reply = await o.judge({ bytes: given, mode, organisationId }, signal);
    if (reply.verdict === 'allowed') res.type(reply.contentType).send(reply.bytes);
    else res.json(reply);
  });
}
