/**
 * A sign-in service for development and tests only: an OpenID provider for the console. Nobody proves who they are: a person is chosen
 * by a click.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { escapeHtml } from '@offer-ads/contracts/values/html-text';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { faultsRoute, listen, page, type WebServer } from '../web-server.ts';
import { type Person, people } from './people.ts';
import { createSigningKeys, type IdentityFaults, identityFaults, type SigningKeys } from './tokens.ts';

const CODE_MS = 60_000;
const TOKEN_SECONDS = 300;

export type IdentitySimulator = WebServer & { readonly issuer: string };

type Options = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The only console to which people are sent back. */
  readonly consoleUrl: string;
  readonly host?: string;
  readonly port?: number;
  /** Where browsers reach it, if that is another address. */
  readonly browserUrl?: string | undefined;
  readonly issuer?: string | undefined;
};

const authorization = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_type: z.literal('code'),
  scope: z.string().refine((scope) => scope.split(' ').includes('openid'), 'must include openid'),
  state: z.string().min(16).max(500),
  nonce: z.string().min(16).max(500),
  code_challenge: z.string().length(43),
  code_challenge_method: z.literal('S256'),
  /** The email address of the person: then no page asks. */
  login_hint: z.string().optional(),
});
type Authorization = z.infer<typeof authorization>;

type Granted = { readonly person: Person; readonly asked: Authorization; readonly untilMs: number };

export async function startIdentitySimulator(o: Options): Promise<IdentitySimulator> {
  const host = o.host ?? '127.0.0.1';
  const keys = await createSigningKeys();
  const app = express();
  // The address is known only once it listens.
  let issuer = '';
  mountProvider(app, { ...o, keys, issuer: () => issuer });
  const web = await listen(app, { host, port: o.port ?? 0 });
  issuer = o.issuer ?? web.url;
  return { ...web, issuer };
}

function mountProvider(
  app: express.Express,
  o: Omit<Options, 'issuer'> & { readonly keys: SigningKeys; readonly issuer: () => string },
): void {
  const redirectUri = `${o.consoleUrl}/sign-in/callback`;
  const granted = new Map<string, Granted>();
  let faults: IdentityFaults = {};
  app.disable('x-powered-by');

  const toConsole: RequestHandler = async (_req, res, next) => {
    await pause(faults.slowMs ?? 0, undefined, { ref: false });
    if (faults.status === undefined) next();
    else res.status(faults.status).json({ error: 'server_error' });
  };
  const answer = (res: Response, body: object) =>
    res.set('cache-control', 'no-store').json({
      ...body,
      ...(faults.padding !== undefined && { padding: 'x'.repeat(faults.padding) }),
    });

  app.get('/.well-known/openid-configuration', toConsole, (_req, res) => {
    const issuer = o.issuer();
    const browser = o.browserUrl ?? issuer;
    answer(res, {
      issuer,
      authorization_endpoint: `${browser}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      end_session_endpoint: `${browser}/sign-out`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });
  app.get('/jwks', toConsole, (_req, res) => void answer(res, o.keys.published()));

  app.get('/authorize', (req, res) => {
    const asked = askedIn(req);
    if (typeof asked === 'string') return void res.status(400).send(refusalPage(asked));
    const hinted = people.find(({ email }) => email === asked.login_hint);
    if (hinted === undefined) return void res.send(choicePage(req.originalUrl));
    res.redirect(303, sendBack(hinted, asked));
  });

  function askedIn(req: Request): Authorization | string {
    const asked = authorization.safeParse(req.query);
    if (!asked.success)
      return asked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join();
    if (asked.data.client_id !== o.clientId) return 'client_id: unknown';
    // Before anything is sent there, so that nobody is sent to another site.
    return asked.data.redirect_uri === redirectUri ? asked.data : 'redirect_uri: not registered';
  }

  function sendBack(person: Person, asked: Authorization): string {
    const code = randomUUID();
    for (const [old, { untilMs }] of granted) if (untilMs < Date.now()) granted.delete(old);
    granted.set(code, { person, asked, untilMs: Date.now() + CODE_MS });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: asked.state, iss: o.issuer() }).toString();
    return back.href;
  }

  app.post('/token', toConsole, express.urlencoded({ extended: false }), async (req, res) => {
    const { grant_type, code, redirect_uri, code_verifier } = req.body as Record<string, string | undefined>;
    const [id, secret] = basicCredentials(req.get('authorization'));
    if (id !== o.clientId || secret !== o.clientSecret)
      return void res.status(401).json({ error: 'invalid_client' });
    const grant = granted.get(code ?? '');
    // A code works once, whether its use succeeds or not.
    granted.delete(code ?? '');
    if (
      grant_type !== 'authorization_code' ||
      grant === undefined ||
      grant.untilMs < Date.now() ||
      grant.asked.redirect_uri !== redirect_uri ||
      grant.asked.code_challenge !== challengeOf(code_verifier ?? '')
    )
      return void res.status(400).json({ error: 'invalid_grant' });
    const claims = { ...claimsOf(grant), ...faults.claims };
    const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
    const id_token = await o.keys.sign(given, faults, o.clientSecret);
    answer(res, { access_token: randomUUID(), token_type: 'Bearer', expires_in: TOKEN_SECONDS, id_token });
  });

  function claimsOf({ person, asked }: Granted): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1_000);
    return {
      iss: o.issuer(),
      aud: o.clientId,
      sub: person.subject,
      iat: now,
      exp: now + TOKEN_SECONDS,
      nonce: asked.nonce,
      name: person.name,
      email: person.email,
      email_verified: true,
      groups: person.groups,
    };
  }

  app.get('/sign-out', (req, res) => {
    const back = req.query.post_logout_redirect_uri;
    if (back === `${o.consoleUrl}/`) return res.redirect(303, `${o.consoleUrl}/`);
    res.send(page('Signed out', '<h1>Signed out</h1>'));
  });

  faultsRoute(app, '/sim/identity', {
    schema: identityFaults,
    set: (asked) => {
      faults = asked;
    },
  });
  app.post('/sim/identity/rotate', async (_req, res) => {
    await o.keys.rotate();
    res.json({ keys: o.keys.published().keys.map(({ kid }) => kid) });
  });
  app.get('/livez', (_req, res) => res.json({ status: 'ok' }));
}

/** Both parts are encoded as in a form (RFC 6749, 2.3.1). */
function basicCredentials(header = ''): string[] {
  const text = Buffer.from(header.replace(/^Basic /, ''), 'base64').toString();
  return text.split(':').map((part) => new URLSearchParams(`part=${part}`).get('part') ?? '');
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

function choicePage(address: string): string {
  const links = people.map(({ name, email, groups }) => {
    const chosen = `${address}&login_hint=${encodeURIComponent(email)}`;
    return `<tr><td><a href="${escapeHtml(chosen)}">${name}</a><div class="quiet">${email}, ${groups.join(', ')}</div></td></tr>`;
  });
  return page(
    'Sign-in simulator',
    `<h1>Sign-in simulator</h1>
<p>This page stands for the sign-in of your company. It is for development only: nobody proves who they are. Choose a person.</p>
<table>${links.join('\n')}</table>`,
  );
}

function refusalPage(problem: string): string {
  return page('Not possible', `<h1>This sign-in is not possible</h1><p>${escapeHtml(problem)}</p>`);
}
