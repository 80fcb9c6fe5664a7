/** The routes that the gateway calls for a signed-in person; the contract `notifier-api` defines the shapes. */
import { type MailPreferences, mailPreferences } from '@offer-ads/contracts/internal/notifier-api';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { unauthorised } from '@offer-ads/platform/process/faults';
import express, { type Express, type Request } from 'express';
import type { Notifier } from '../notifier.ts';

export function preferenceRoutes(
  app: Express,
  { preferences, clock }: Pick<Notifier, 'preferences' | 'clock'>,
  contextSecret: string,
): void {
  const routes = express.Router();
  routes.use(requireCaller({ secret: contextSecret, audience: 'notifier', clock }));
  routes.use(jsonBody({ maxBytes: 16 * 1024 }));

  routes
    .route('/mail-preferences')
    .get(async (req, res) => {
      res.json((await preferences.of(personOf(req))) satisfies MailPreferences);
    })
    .put(async (req, res) => {
      const wanted = validInput(mailPreferences, req.body);
      await preferences.save(personOf(req), wanted, requestFacts(req).receivedAt);
      res.json(wanted satisfies MailPreferences);
    });
  app.use('/internal', routes);
}

function personOf(req: Request): number {
  const { personId } = callerOf(req);
  if (personId === null) throw unauthorised('preferences are a person’s own');
  return personId;
}
