/** Sign-in by the sign-in service, and with an emergency token. Every attempt is logged, and is in the audit log. */
import { type SignInResult, unknownActor } from '@offer-ads/contracts/admin/audit-api';
import type { BeginSignInReply, SignInWaysReply } from '@offer-ads/contracts/admin/console-api';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { type SessionCookie, sessionCookie } from '@offer-ads/platform/pages/session-cookie';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Express, Request, Response, Router } from 'express';
import { z } from 'zod';
import type { ServiceCalls } from '../../service-calls.ts';
import { type Attempts, retryAfterSeconds } from '../attempts.ts';
import { longestMs, type Sessions } from '../sessions.ts';
import type { Person } from '../sign-in/person.ts';
import {
  callbackPath,
  newSignInSecret,
  type SignInRefusal,
  type SignInService,
} from '../sign-in/sign-in-service.ts';
import type { Staff } from '../staff.ts';

export type SignInRoutes = {
  readonly publicUrl: string;
  /** Undefined where none is configured. */
  readonly signIn: SignInService | undefined;
  /** Undefined where emergency tokens are off. */
  readonly staff: (() => Staff) | undefined;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly cookie: SessionCookie;
  readonly ask: ServiceCalls;
  readonly logger: Logger;
};

/** The time for the sign-in at the sign-in service. */
const SIGN_IN_MS = 10 * 60_000;

/** A page of the console. Not `//` and no backslash, which browsers take for another site. */
const pagePath = z
  .string()
  .max(500)
  .regex(/^\/(?!\/)[\w/-]*(\?[\w=&%.+:-]*)?$/);
const begun = z.object({ returnTo: pagePath.catch('/'), asAnother: z.boolean().default(false) });
const credentials = z.object({ name: z.string().max(64), token: z.string().max(200) });
/** The same message for both, so that it does not show which names exist. */
const refused = { message: 'The name or the emergency token is wrong' };

/** Before a session exists. */
export function beginSignInRoutes(routes: Router, o: SignInRoutes): void {
  const attempted = signInCookie(o.publicUrl);

  routes.get('/sign-in', (_req, res) => {
    const ways = { service: o.signIn !== undefined, emergencyToken: o.staff !== undefined };
    res.json(ways satisfies SignInWaysReply);
  });

  routes.post('/sign-in/begin', async (req, res) => {
    const { returnTo, asAnother } = validInput(begun, req.body);
    if (o.signIn === undefined)
      return void res.status(404).json({ message: 'No sign-in service is configured' });
    const secret = newSignInSecret();
    try {
      const address = await o.signIn.begin({ secret, asAnother });
      attempted.set(res, `${secret}.${Buffer.from(returnTo).toString('base64url')}`, SIGN_IN_MS);
      res.json({ address } satisfies BeginSignInReply);
    } catch (error) {
      throw new Fault('the sign-in service cannot be used', {
        status: 502,
        publicMessage:
          'The sign-in service of your company does not answer properly. Try again in a minute, or ask who runs it',
        cause: error,
      });
    }
  });

  routes.post('/sign-in', (req, res) => {
    const { staff } = o;
    if (staff === undefined) return void res.status(404).json({ message: 'Emergency tokens are off' });
    const now = requestFacts(req).receivedAt;
    const { name, token } = validInput(credentials, req.body);
    const attempt = { name, from: req.socket.remoteAddress ?? '' };
    // An unknown name is not stored: it may be a token that was typed into the wrong field.
    const who = nobodyNamed(staff().knows(name) ? name : unknownActor);
    if (!o.attempts.admit(attempt, now)) {
      reportRefusal(o, req, who, 'too many attempts');
      o.logger.warn({ audit: true }, 'too many attempts to sign in to the console');
      res.setHeader('Retry-After', retryAfterSeconds);
      return void res.status(429).json({ message: 'Too many attempts' });
    }
    const proof = staff().prove(name, token);
    if (proof === null) {
      reportRefusal(o, req, who, 'wrong emergency token');
      o.logger.warn({ audit: true }, 'sign-in to the console refused');
      return void res.status(401).json(refused);
    }
    o.attempts.forget(attempt);
    const person = { name, subject: null, roles: ['administrator'], via: 'emergency' } as const;
    openSession(o, { req, res, person, idToken: null, proof });
    o.logger.warn(
      { audit: true, actor: name, via: person.via },
      'signed in to the console with an emergency token',
    );
    res.status(204).end();
  });
}

/** Where the sign-in service sends the browser. It comes from another site, so its cookie must not be `SameSite=Strict`. */
export function mountCallback(app: Express, o: SignInRoutes): void {
  const { signIn } = o;
  if (signIn === undefined) return;
  const attempted = signInCookie(o.publicUrl);
  app.get(callbackPath, async (req, res) => {
    // Codes in the address must reach neither caches nor other sites.
    res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    const [secret = '', returnTo = ''] = (attempted.read(req) ?? '').split('.');
    attempted.clear(res);
    const sendBack = (problem: SignInRefusal | 'expired') => {
      o.logger.warn({ audit: true, problem }, 'sign-in to the console refused');
      res.redirect(303, `/?problem=${problem}`);
    };
    if (secret === '') return sendBack('expired');
    const at = req.originalUrl.indexOf('?');
    const outcome = await signIn.finish({ secret, query: at === -1 ? '' : req.originalUrl.slice(at) });
    if (!outcome.ok) {
      const { reason, error, person = nobodyNamed(unknownActor) } = outcome;
      const result = refusalResults[reason];
      if (result !== null) reportRefusal(o, req, person, result);
      if (error !== undefined)
        o.logger.warn({ error, reason }, 'the answer of the sign-in service was refused');
      return sendBack(reason);
    }
    openSession(o, { req, res, ...outcome, proof: null });
    o.logger.info(
      { audit: true, actor: outcome.person.name, roles: outcome.person.roles },
      'signed in to the console',
    );
    res.redirect(303, pagePath.catch('/').parse(Buffer.from(returnTo, 'base64url').toString()));
  });
}

function signInCookie(publicUrl: string): SessionCookie {
  return sessionCookie({ publicUrl, name: 'console-sign-in', sameSite: 'Lax' });
}

/** Always a new session: one that somebody else has put into the browser is not used. */
function openSession(
  o: SignInRoutes,
  { req, res, ...opened }: { req: Request; res: Response } & Parameters<Sessions['open']>[0],
): void {
  const before = o.cookie.read(req);
  if (before !== undefined) o.sessions.end(before);
  o.cookie.set(res, o.sessions.open(opened, requestFacts(req).receivedAt), longestMs);
  report(o, opened.person, 'signed in', requestFacts(req).requestId);
}

/** Null: nobody was refused, the sign-in service did not answer. */
const refusalResults = {
  'no-role': 'no role',
  'no-name': 'no name',
  refused: 'refused by the sign-in service',
  invalid: 'answer of the sign-in service refused',
  unavailable: null,
} as const satisfies Record<SignInRefusal, SignInResult | null>;

function nobodyNamed(name: string): Person {
  return { name, subject: null, roles: [], via: 'console' };
}

/** Anybody can cause refusals, so of one actor only a few in ten minutes are reported; the log of the console has all. */
function reportRefusal(o: SignInRoutes, req: Request, person: Person, result: SignInResult): void {
  const { receivedAt, requestId } = requestFacts(req);
  // Nobody has an empty address, so these counts are apart from those of attempts.
  if (o.attempts.admit({ name: person.name, from: '' }, receivedAt)) report(o, person, result, requestId);
}

/** Adds the sign-in to the audit log. Not awaited: the emergency token is for hours in which services do not answer. */
function report(
  { ask, logger }: SignInRoutes,
  person: Person,
  result: SignInResult,
  requestId: string,
): void {
  const call = { method: 'POST', path: '/admin/console/sign-ins', json: { result } } as const;
  ask('gateway', call, { person, requestId })
    .then(({ body, statusCode }) => {
      if (statusCode >= 300) throw new Error(`the gateway answered ${statusCode}`);
      return body.dump();
    })
    .catch((error: unknown) =>
      logger.error({ error }, 'a sign-in to the console is missing in the audit log'),
    );
}
