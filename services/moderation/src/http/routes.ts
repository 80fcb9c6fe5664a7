/** The one route of moderation: bytes in, verdict out. */
import type { VerdictReply } from '@offer-ads/contracts/moderation-api';
import { requestFacts } from '@offer-ads/platform/http-request';
import express, { type Express, type RequestHandler } from 'express';

/** Decision 18: 5,242,880 bytes pass, one more is refused. */
const mostBytes = 5 * 1024 * 1024;
/** Decision 23: moderation gets at most this much of what the caller waits. */
const budgetMs = 10_000;

export function routes(o: {
  readonly caller: RequestHandler;
  readonly judge: (bytes: Uint8Array, signal: AbortSignal) => Promise<VerdictReply>;
}): (app: Express) => void {
  return (app) => {
    const picture = express.raw({ type: 'application/octet-stream', limit: mostBytes, inflate: false });
    app.post('/internal/verdicts', o.caller, picture, async (req, res) => {
      const bytes: unknown = req.body;
      // express leaves the body out when it is empty or of another type; neither is a picture.
      const given = bytes instanceof Uint8Array ? bytes : new Uint8Array();
      // A picture whose caller has gone leaves the queue; what has begun is finished, because its verdict is kept.
      res.json(await o.judge(given, requestFacts(req).deadline().whileAwaited().signal(budgetMs)));
    });
  };
}
