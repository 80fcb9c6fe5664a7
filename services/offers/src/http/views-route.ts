/** POST /placements/views, called with the signed caller of a placement key: counts the views that the tokens stand for. */
import { type ViewsReply, viewsRequest } from '@offer-ads/contracts/community/placements-api';
import { requestFacts } from '@offer-ads/platform/http/request';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Express } from 'express';
import type { OffersContext } from '../context.ts';
import type { GatheredIntake } from '../traffic/gathered-intake.ts';
import type { TrafficEvent } from '../traffic/intake.ts';
import { placementCallerOf, requirePlacementCaller } from './placement-caller.ts';

/** The most tokens of the greatest length, with room for spaces. */
const MAX_BYTES = 300_000;

export function mountViewsRoute(
  app: Express,
  o: Pick<OffersContext, 'tokens' | 'clock' | 'contextSecret'> & { readonly views: GatheredIntake },
): void {
  app.post(
    '/placements/views',
    requirePlacementCaller(o),
    jsonBody({ maxBytes: MAX_BYTES }),
    async (req, res) => {
      const { mode } = placementCallerOf(res);
      const facts = requestFacts(req);
      const views: TrafficEvent[] = [];
      const refused: number[] = [];
      for (const [place, token] of validInput(viewsRequest, req.body).view_tokens.entries()) {
        const read = o.tokens.readView(token, facts.receivedAt);
        // A key counts views of its own mode only.
        if (read.ok && read.mode === mode) views.push({ ...read.event, automated: false });
        else refused.push(place);
      }
      await o.views.record(views, facts.deadline());
      res.json({ accepted: views.length, refused } satisfies ViewsReply);
    },
  );
}
