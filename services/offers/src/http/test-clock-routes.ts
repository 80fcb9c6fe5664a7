/** GET, POST and DELETE /test/clock (decision 216, test clock). */

import { type TestClockAhead, testClockPath } from '@offer-ads/contracts/internal/test-clock-api';
import type { TestClockReply } from '@offer-ads/contracts/public/api';
import type { Refused } from '@offer-ads/contracts/values/refused';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import type { Express, Request, RequestHandler, Response } from 'express';
import type { OffersContext } from '../context.ts';
import { readAdvance } from '../domain/test-clock.ts';
import { advanceTestClock, readTestClock, resetTestClock, type TestClock } from '../test-clock/test-clock.ts';
import { readAheadSeconds } from '../test-clock/test-clock-store.ts';
import { timingOf } from './own-offer.ts';
import { replyToTestClockRefusal, send, type TestClockRefusal } from './replies.ts';

type Answered = { readonly ok: true; readonly clock: TestClock } | Refused<TestClockRefusal>;

export function mountTestClockRoutes(app: Express, o: OffersContext): void {
  const caller = requireCaller({ secret: o.contextSecret, audience: 'offers', clock: o.clock });
  const answer = (run: (req: Request, organisationId: number) => Promise<Answered>): RequestHandler => {
    return async (req, res) => {
      const { organisationId, mode } = callerOf(req);
      sendOutcome(res, mode === 'LIVE' ? liveMode : await run(req, organisationId));
    };
  };

  app.get(testClockPath, caller, async (req, res) => {
    const aheadSeconds = await readAheadSeconds(o.postgres, callerOf(req));
    res.json({ aheadSeconds } satisfies TestClockAhead);
  });
  app.get(
    '/test/clock',
    caller,
    answer(async (_req, organisationId) => ({ ok: true, clock: await readTestClock(o, organisationId) })),
  );
  app.post(
    '/test/clock',
    caller,
    readBody,
    answer(async (req, organisationId) => {
      const read = readAdvance(req.body);
      return read.ok ? advanceTestClock(o, organisationId, read.advance, timingOf(req)) : read;
    }),
  );
  app.delete(
    '/test/clock',
    caller,
    answer((req, organisationId) => resetTestClock(o, organisationId, timingOf(req))),
  );
}

const liveMode: Refused<TestClockRefusal> = { ok: false, reason: 'live-mode' };

/** A body that cannot be read is refused like one that says nothing. */
const readBody = jsonBody({
  maxBytes: 4_096,
  refuse: (res) => send(res, replyToTestClockRefusal({ reason: 'not-an-advance' })),
});

function sendOutcome(res: Response, outcome: Answered): void {
  if (!outcome.ok) return send(res, replyToTestClockRefusal(outcome));
  const { now, aheadSeconds, isAnnounced } = outcome.clock;
  const body: TestClockReply = {
    now: now.toISOString(),
    offset_seconds: aheadSeconds,
    status: isAnnounced ? 'ready' : 'advancing',
  };
  send(res, { status: 200, body });
}
