/** The route of offers: bytes in, verdict out. */
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { uploadRoom } from '@offer-ads/platform/http/upload-room';
import express, { type Express, type RequestHandler } from 'express';
import type { Upload } from '../verdicts/judge-picture.ts';

/** Decision 18, image limits: 5,242,880 bytes pass, one more is refused. */
const mostBytes = 5 * 1024 * 1024;
/** Six of the largest, and a hundred of those that advertisers send. */
const mostBytesOfAll = 32 * 1024 * 1024;

/**
 * A moment before offers stops waiting (decision 23, deadlines and outages: 10 s), so that it hears whether the
 * picture or the queue took the time.
 */
const answerWithinMs = 9_000;

export type VerdictRoutes = {
  readonly caller: RequestHandler;
  readonly judge: (upload: Upload, signal: AbortSignal) => Promise<VerdictReply>;
};

export function mountVerdictRoutes(app: Express, o: VerdictRoutes): void {
  const picture = express.raw({ type: 'application/octet-stream', limit: mostBytes, inflate: false });
  const room = uploadRoom({ mostBytes: mostBytesOfAll, largestBytes: mostBytes });
  app.post('/internal/verdicts', o.caller, room, picture, async (req, res) => {
    const bytes: unknown = req.body;
    // express leaves the body out when it is empty or of another type; neither is a picture.
    const given = bytes instanceof Uint8Array ? bytes : new Uint8Array();
    const { mode, organisationId } = callerOf(req);
    // A picture whose caller has gone leaves the queue; what has begun is finished, because its verdict is kept.
    const signal = requestFacts(req).deadline().whileAwaited().signal(answerWithinMs);
    res.json(await o.judge({ bytes: given, mode, organisationId }, signal));
  });
}
