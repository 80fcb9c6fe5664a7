/** The time limit of portal requests: 503 when it is over (decision 23, deadlines and outages). */

import { createDeadline, type Deadline } from '@offer-ads/platform/calls/deadline';
import { requestFacts } from '@offer-ads/platform/http/request';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';

/** As for any call that creates nothing (decision 23, deadlines and outages). */
const commitWithinMs = 2_000;
/** A change that was committed in time is still answered. */
const defaultBudgetMs = commitWithinMs + 500;

const deadlines = new WeakMap<Request, Deadline>();
const timers = new WeakMap<Response, NodeJS.Timeout>();
const givenUp = new WeakSet<Response>();

/** The time starts here; the body was read before. */
export function limitTime(logger: Logger, budgetMs = defaultBudgetMs): RequestHandler {
  return (req, res, next) => {
    deadlines.set(req, createDeadline(commitWithinMs));
    clearTimeout(timers.get(res));
    timers.set(res, setTimeout(giveUp, budgetMs, req, res, logger));
    res.once('close', () => clearTimeout(timers.get(res)));
    next();
  };
}

/**
 * Nothing of the request is committed after it, so nothing is committed after its 503 (decision 164, no commit after 503). Only after
 * `limitTime`.
 */
export function commitDeadline(req: Request): Deadline {
  const deadline = deadlines.get(req);
  if (deadline === undefined) throw new Error('this route needs limitTime before it');
  return deadline;
}

/** For routes with their own limit: receiving a body, and forwarded calls. */
export const liftTime: RequestHandler = (_req, res, next) => {
  clearTimeout(timers.get(res));
  next();
};

/** After the 503, errors of the request are ignored. */
export const ignoreLateReplies: ErrorRequestHandler = (error, _req, res, next) => {
  if (!givenUp.has(res)) next(error);
};

function giveUp(req: Request, res: Response, logger: Logger): void {
  if (res.headersSent) return;
  givenUp.add(res);
  const fault = serviceUnavailable('portal: the time of the request is used up');
  logger.error({ requestId: requestFacts(req).requestId, error: fault }, fault.message);
  res.setHeader('Retry-After', fault.retryAfterSeconds ?? 1);
  res.status(fault.status).json(fault.publicBody);
}
