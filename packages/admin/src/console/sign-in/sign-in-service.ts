/**
 * Sign-in by OpenID Connect (ADR 42): the authorization code flow with PKCE. openid-client checks state, nonce, issuer, audience, times
 * and the signature of the ID token.
 */
import { createHmac, randomBytes } from 'node:crypto';
import * as oidc from 'openid-client';
import { boundedFetch } from './bounded-fetch.ts';
import { type ClaimSettings, type Person, type PersonRefusal, personOf } from './person.ts';

export type SignInSettings = ClaimSettings & {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** The address of the console. */
  readonly consoleUrl: string;
};

export type SignedIn =
  /** `idToken`: for the sign-out; null if it is too long for an address. */
  | { readonly ok: true; readonly person: Person; readonly idToken: string | null }
  /** `person`: known although they have no role. */
  | {
      readonly ok: false;
      readonly reason: SignInRefusal;
      readonly person?: Person;
      readonly error?: unknown;
    };
/** `refused`: the sign-in service said no. `invalid`: its answer did not pass the checks. `unavailable`: it did not answer properly. */
export type SignInRefusal = PersonRefusal | 'refused' | 'invalid' | 'unavailable';

export type SignInService = {
  /** The address to which the browser is sent. Rejects when the sign-in service does not answer. */
  readonly begin: (o: { secret: string; asAnother: boolean }) => Promise<string>;
  /** @param query that of the callback, with `?` */
  readonly finish: (o: { secret: string; query: string }) => Promise<SignedIn>;
  /** Where the session at the sign-in service ends; null if it has no such address, or does not answer. */
  readonly signOutAddress: (idToken: string | null) => Promise<string | null>;
};

/** The person waits for each call. */
const CALL_SECONDS = 4;
/** Clocks of two machines may differ by this much. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** Unauthenticated requests cause discoveries, so these are shared for this long. */
const DISCOVERED_MS = 60_000;

/** Browsers and proxies take addresses of this length. */
const MAX_HINT = 6_000;

export const callbackPath = '/sign-in/callback';

/** In the browser's cookie during a sign-in. State, nonce and PKCE verifier are derived from it, so nothing is stored here. */
export function newSignInSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function signInService(o: SignInSettings): SignInService {
  const redirectUri = `${o.consoleUrl}${callbackPath}`;
  const isPlain = new URL(o.issuer).protocol === 'http:';

  async function discover(): Promise<oidc.Configuration> {
    return oidc.discovery(
      new URL(o.issuer),
      o.clientId,
      { client_secret: o.clientSecret, [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      authentication(o.clientSecret),
      {
        timeout: CALL_SECONDS,
        [oidc.customFetch]: boundedFetch,
        execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
      },
    );
  }

  let latest: { readonly atMs: number; readonly found: Promise<oidc.Configuration> } | undefined;
  const discovered = () => {
    const nowMs = performance.now();
    if (latest === undefined || nowMs - latest.atMs > DISCOVERED_MS) {
      const found = discover();
      const begun = { atMs: nowMs, found };
      latest = begun;
      // The next person may have more luck.
      found.catch(() => latest === begun && (latest = undefined));
    }
    return latest.found;
  };

  return {
    begin: async ({ secret, asAnother }) => {
      const address = oidc.buildAuthorizationUrl(await discovered(), {
        redirect_uri: redirectUri,
        scope: o.scope,
        state: derived(secret, 'state'),
        nonce: derived(secret, 'nonce'),
        code_challenge: await oidc.calculatePKCECodeChallenge(derived(secret, 'verifier')),
        code_challenge_method: 'S256',
        ...(asAnother && { prompt: 'login' }),
      });
      return address.href;
    },
    finish: async ({ secret, query }) => {
      try {
        // Discovered again, so that the keys are read again: replaced keys are known at once.
        const tokens = await oidc.authorizationCodeGrant(
          await discover(),
          new URL(`${redirectUri}${query}`),
          {
            expectedState: derived(secret, 'state'),
            expectedNonce: derived(secret, 'nonce'),
            pkceCodeVerifier: derived(secret, 'verifier'),
            idTokenExpected: true,
          },
        );
        const claims = tokens.claims();
        if (claims === undefined || tokens.id_token === undefined) return { ok: false, reason: 'invalid' };
        const found = personOf(claims, o);
        const { id_token: idToken } = tokens;
        return found.ok ? { ...found, idToken: idToken.length > MAX_HINT ? null : idToken } : found;
      } catch (error) {
        return { ok: false, reason: reasonOf(error), error };
      }
    },
    signOutAddress: async (idToken) => {
      try {
        const configuration = await discovered();
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
        return oidc.buildEndSessionUrl(configuration, {
          ...(idToken !== null && { id_token_hint: idToken }),
          post_logout_redirect_uri: `${o.consoleUrl}/`,
        }).href;
      } catch {
        // The session of the console has ended all the same.
        return null;
      }
    },
  };
}

/** In the body where the sign-in service supports it, because some encode the header in ways of their own; otherwise in the header. */
function authentication(clientSecret: string): oidc.ClientAuth {
  const [inBody, inHeader] = [oidc.ClientSecretPost(clientSecret), oidc.ClientSecretBasic(clientSecret)];
  return (server, ...rest) => {
    const isInBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
    return (isInBody ? inBody : inHeader)(server, ...rest);
  };
}

/** Different values, none of which reveals another. */
function derived(secret: string, purpose: 'state' | 'nonce' | 'verifier'): string {
  return createHmac('sha256', secret).update(purpose).digest('base64url');
}

function reasonOf(error: unknown): SignInRefusal {
  if (error instanceof oidc.AuthorizationResponseError) return 'refused';
  // A 4xx of the token endpoint: the code is wrong, used or too old, or the client's secret is wrong.
  if (error instanceof oidc.ResponseBodyError) return error.status >= 500 ? 'unavailable' : 'invalid';
  const isChecked = error instanceof oidc.ClientError && error.code !== undefined && !isTransport(error.code);
  return isChecked ? 'invalid' : 'unavailable';
}

/** The codes with which the library says that there was no proper reply. */
function isTransport(code: string): boolean {
  return [
    'OAUTH_TIMEOUT',
    'OAUTH_ABORT',
    'OAUTH_RESPONSE_IS_NOT_CONFORM',
    'OAUTH_RESPONSE_IS_NOT_JSON',
    'OAUTH_PARSE_ERROR',
  ].includes(code);
}
