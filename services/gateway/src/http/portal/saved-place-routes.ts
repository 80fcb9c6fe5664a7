/** Saved places, for those who create offers. */
import {
  type SavedPlace,
  type SavedPlaces,
  savedPlaceWish,
} from '@offer-ads/contracts/portal/organisation-api';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import type { ManagedPlaces } from '../../accounts/manage-saved-places.ts';
import { idIn } from '../organisation-routes.ts';
import { answerPerson, refusePerson } from '../replies.ts';
import { allow, changeBy, memberOf } from './portal-session.ts';

export function savedPlaceRoutes({ savedPlaces }: { savedPlaces: ManagedPlaces }): Router {
  const routes = express.Router();
  routes.use('/places', allow('offers'));

  routes.get('/places', async (req, res) => {
    const places = await savedPlaces.list(memberOf(req).organisationId);
    res.json({ places } satisfies SavedPlaces);
  });

  routes.post('/places', async (req, res) => {
    const wish = validInput(savedPlaceWish, req.body);
    answerPerson(res, await savedPlaces.save(changeBy(req), wish), replyOf, 201);
  });

  routes.put('/places/:id', async (req, res) => {
    const wish = validInput(savedPlaceWish, req.body);
    answerPerson(res, await savedPlaces.change(changeBy(req), { id: idIn(req), ...wish }), replyOf);
  });

  routes.delete('/places/:id', async (req, res) => {
    const outcome = await savedPlaces.delete(changeBy(req), idIn(req));
    if (outcome.ok) res.status(204).end();
    else refusePerson(res, outcome.reason);
  });
  return routes;
}

const replyOf = (place: SavedPlace): SavedPlace => place;
