/** Internal admin route with which the console reports sign-ins: the audit log of the gateway has an entry for each call. */
import { consoleSignIn } from '@offer-ads/contracts/admin/audit-api';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';

export function consoleSignInRoute(): Router {
  const routes = express.Router();
  routes.post('/console/sign-ins', (req, res) => {
    validInput(consoleSignIn, req.body);
    res.status(204).end();
  });
  return routes;
}
