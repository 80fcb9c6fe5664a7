/** The console's settings: the addresses of the services, how staff sign in, and the console's own address. */
import { type StaffRole, staffRoles } from '@offer-ads/contracts/admin/staff-calls';
import {
  checkTokenHashes,
  credential,
  fileVariable,
  httpSettings,
  httpUrl,
  isSecret,
  readConfig,
} from '@offer-ads/platform/config/config';
import { ConfigError } from '@offer-ads/platform/config/config-error';
import { z } from 'zod';
import { adminToolSettings } from '../config.ts';
import type { SignInSettings } from './sign-in/sign-in-service.ts';

/** Unchanged: some issuers end in a slash. */
const issuerUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an address such as https://login.example/realms/staff',
});

const rolesHint = `must be like GROUP=ROLE,GROUP=ROLE, with a role of ${staffRoles.join(', ')}`;
const rolesOfGroups = z.string().transform((text, context): ReadonlyMap<string, StaffRole> => {
  // The last `=`: names of groups may have others.
  const pairs = text.split(',').map((pair) => /^(.+)=(\w+)$/.exec(pair.trim()));
  const roles = pairs.flatMap((pair): [string, StaffRole][] => {
    const role = staffRoles.find((known) => known === pair?.[2]);
    return role === undefined || pair?.[1] === undefined ? [] : [[pair[1], role]];
  });
  const map = new Map(roles);
  if (map.size !== pairs.length) context.addIssue({ code: 'custom', message: rolesHint });
  return map;
});

export const consoleSettings = adminToolSettings.omit({ RABBITMQ_URL: true }).extend({
  ...httpSettings,
  PUBLIC_URL: httpUrl.meta({
    description:
      "Address of the console for staff, in the platform's own network. With https, its cookies are sent only over https. The sign-in service must know PUBLIC_URL/sign-in/callback as redirect address, and PUBLIC_URL/ as address after a sign-out.",
    example: 'https://console.internal.example',
  }),
  CONSOLE_OIDC_ISSUER: issuerUrl.optional().meta({
    description:
      'Issuer of the sign-in service of the staff (OpenID Connect): the address below which it serves /.well-known/openid-configuration. It must be https, unless PUBLIC_URL is http too.',
    example: 'https://login.example/realms/staff',
    without: 'staff can sign in with emergency tokens alone',
  }),
  CONSOLE_OIDC_CLIENT_ID: z.string().min(1, 'must not be empty').optional().meta({
    description: 'The id under which the sign-in service knows the console.',
    example: 'offer-ads-console',
    without: 'none; needed with CONSOLE_OIDC_ISSUER',
  }),
  CONSOLE_OIDC_CLIENT_SECRET: credential.optional().meta({
    ...isSecret,
    description:
      'The secret that the sign-in service has given to the console. Needed with CONSOLE_OIDC_ISSUER.',
  }),
  CONSOLE_OIDC_SCOPE: z
    .string()
    .regex(/^openid( [\x21-\x7e]+)*$/, {
      error: 'must be scopes separated by blanks, of which the first is openid',
    })
    .default('openid email profile')
    .meta({
      description:
        'What the console asks the sign-in service for. Some sign-in services give the groups of a person only for a scope of its own.',
      example: 'openid email profile groups',
    }),
  CONSOLE_OIDC_NAME_CLAIM: z.string().min(1).default('email').meta({
    description:
      'The claim of the ID token with the name of the person, as audit logs show it: an address or a name that people cannot choose themselves. With `email`, an address with `email_verified: false` is refused.',
    example: 'preferred_username',
  }),
  CONSOLE_OIDC_ROLES_CLAIM: z.string().min(1).default('groups').meta({
    description:
      'The claim of the ID token with the groups of the person, a text or a list of texts. A dot leads into an object.',
    example: 'realm_access.roles',
  }),
  CONSOLE_OIDC_ROLES: rolesOfGroups.optional().meta({
    description:
      'Which group has which role in the console: viewer, support, finance or administrator. A person in several groups has all their roles. A person in none of them is refused.',
    example: 'ads-staff=viewer,ads-support=support,ads-finance=finance,ads-admins=administrator',
    without: 'none; needed with CONSOLE_OIDC_ISSUER',
  }),
  CONSOLE_BREAK_GLASS: z
    .string({ error: 'must be like ann:HASH,bo:HASH' })
    .superRefine(checkTokenHashes)
    .optional()
    .meta({
      ...isSecret,
      description:
        'Emergency tokens, for hours in which the sign-in service is away: for each person the name, as audit logs show it, and the hash of a token, separated by commas, as `admin token create` prints them. Whoever signs in with one has the role administrator; each page says so, and an alert fires. Leave it out in normal operation. A file is read again when it changes: a person who was removed is signed out at once.',
      example: 'ann:HASH,bo:HASH',
    }),
});

export type ConsoleConfig = z.infer<typeof consoleSettings> & {
  /** Undefined where staff have emergency tokens alone. */
  readonly signIn: SignInSettings | undefined;
  /** Set when the emergency tokens come from a file, which may change. */
  readonly breakGlassFile: string | undefined;
};

export function readConsoleConfig(env: NodeJS.ProcessEnv = process.env): ConsoleConfig {
  const config = readConfig(consoleSettings, env);
  const breakGlassFile = env[fileVariable('CONSOLE_BREAK_GLASS')] || undefined;
  return { ...config, signIn: signInOf(config), breakGlassFile };
}

function signInOf(config: z.infer<typeof consoleSettings>): SignInSettings | undefined {
  const {
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: clientId,
    CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
    CONSOLE_OIDC_ROLES: roleOfGroup,
    PUBLIC_URL: consoleUrl,
  } = config;
  const given = { issuer, clientId, clientSecret, roleOfGroup };
  if (Object.values(given).every((value) => value === undefined)) {
    if (config.CONSOLE_BREAK_GLASS !== undefined) return undefined;
    throw new ConfigError([
      'CONSOLE_OIDC_ISSUER is missing: without it and without CONSOLE_BREAK_GLASS nobody could sign in',
    ]);
  }
  if (
    issuer === undefined ||
    clientId === undefined ||
    clientSecret === undefined ||
    roleOfGroup === undefined
  )
    throw new ConfigError([
      'CONSOLE_OIDC_ISSUER, CONSOLE_OIDC_CLIENT_ID, CONSOLE_OIDC_CLIENT_SECRET and CONSOLE_OIDC_ROLES: give all four, or none',
    ]);
  if (issuer.startsWith('http:') && consoleUrl.startsWith('https:'))
    throw new ConfigError(['CONSOLE_OIDC_ISSUER: must be https, because PUBLIC_URL is https']);
  return {
    issuer,
    clientId,
    clientSecret,
    roleOfGroup,
    consoleUrl,
    scope: config.CONSOLE_OIDC_SCOPE,
    nameClaim: config.CONSOLE_OIDC_NAME_CLAIM,
    rolesClaim: config.CONSOLE_OIDC_ROLES_CLAIM,
  };
}
