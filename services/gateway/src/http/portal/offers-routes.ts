/**
 * Everything of the public API for whoever is signed in, under `/test` and `/live`. Not in the call log, which is of keys,
 * and not under the limit of an API client (decision 28).
 */
import type { Router } from 'express';
import { endpoints } from '../endpoints.ts';
import { inBothModes, type PassOn, passOn } from './pass-on.ts';
import { allow } from './portal-session.ts';

/** Mounted before anything that reads bodies: they pass as streams. */
export function offersRoutes(o: PassOn): Router {
  return inBothModes((routes, mode) => {
    for (const endpoint of endpoints)
      routes[endpoint.method](endpoint.path, allow('offers'), passOn(endpoint, mode, o));
  });
}
