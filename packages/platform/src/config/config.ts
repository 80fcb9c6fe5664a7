/** Reads settings from the environment. Reports all problems at once, each with its fix, and never prints a value. */
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import { z } from 'zod';
import { parseTokenHashes, tokenPattern } from '../admin/tokens.ts';
import { ConfigError } from './config-error.ts';
import { readSecretFile } from './secret-files.ts';
import { allSecrets } from './secrets.ts';
import { factsOf, type SettingFacts } from './setting-facts.ts';

/**
 * Parses the variables that the schema names. An empty variable counts as missing, because compose files pass unset ones that way. A
 * secret may come from the file that NAME_FILE names. The environment is not changed.
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv): z.infer<S> {
  const given: Record<string, Given> = Object.fromEntries(
    Object.entries(schema.shape).map(([name, field]) => [name, readSetting(name, field, env)]),
  );
  const values = Object.entries(given).map(([name, { value }]) => [name, value]);
  const result = schema.safeParse(Object.fromEntries(values));
  const unread = Object.values(given).flatMap(({ problem }) => problem ?? []);
  if (result.success && unread.length === 0) return result.data;
  throw new ConfigError([
    ...unread,
    ...(result.error?.issues ?? []).flatMap(({ path, message }) => {
      const name = String(path[0]);
      const { problem, value, from } = given[name] ?? {};
      if (problem !== undefined) return [];
      if (value === undefined) return `${name} is missing: ${message}`;
      return `${name}${from === undefined ? '' : `, read from ${from}`}: ${message}`;
    }),
  ]);
}

type Given = { readonly value?: string; readonly from?: string; readonly problem?: string };

function readSetting(name: string, field: unknown, env: NodeJS.ProcessEnv): Given {
  const value = env[name] || undefined;
  const from = fileVariable(name);
  const path = factsOf(field).secret ? env[from] || undefined : undefined;
  if (path === undefined) return value === undefined ? {} : { value };
  if (value !== undefined) return { problem: `${name} and ${from} are both given: leave one of them out` };
  const file = readSecretFile(path);
  return file.ok ? { value: file.text, from } : { problem: `${from} ${file.problem}` };
}

/** The variable that names the file of a secret. */
export function fileVariable(name: string): string {
  return `${name}_FILE`;
}

function address(example: string, protocols: RegExp) {
  return z.url({ protocol: protocols, error: `must be an address such as ${example}` });
}

/** Marks settings that are secrets or contain one. */
export const isSecret = { secret: true } as const satisfies SettingFacts;

export const postgresUrl = address('postgres://user@host:5432/database', /^postgres(ql)?$/).meta({
  ...isSecret,
  description:
    "The service's own database in Postgres, with its own user. Across a network that you do not trust, use ?sslmode=verify-full and the certificate.",
  example: 'postgres://user:password@postgres:5432/database',
});
const mongoExample = 'mongodb://host:27017/database?replicaSet=rs0';
const mongoHost = address(mongoExample, /^mongodb(\+srv)?$/);
/** May name several members of a replica set, separated by commas; a URL parser refuses that. */
export const mongoUrl = z
  .string({ error: `must be an address such as ${mongoExample}` })
  .refine((text) => mongoHost.safeParse(text.replace(/,[^/?@]+/, '')).success, {
    error: `must be an address such as ${mongoExample}`,
  })
  .meta({
    ...isSecret,
    description:
      "The service's own database in MongoDB (a replica set), with its own user. Name all members, separated by commas, or use mongodb+srv://.",
    example: 'mongodb://user:password@mongo:27017/database?replicaSet=mongo&authSource=admin',
  });
export const amqpUrl = address('amqp://user:password@host:5672', /^amqps?$/).meta({
  ...isSecret,
  description: "RabbitMQ, with the service's own user. Across a network that you do not trust, use amqps://.",
  example: 'amqp://user:password@rabbitmq:5672',
});
/** The trailing slash is removed, so that paths can be appended. */
export const httpUrl = address('https://host:8080', /^https?$/).transform((url) => url.replace(/\/+$/, ''));

/** At least 32 characters, so that it cannot be guessed. There is no default, so that nobody runs with a known secret. */
const secretHint =
  'must be a random text of at least 32 characters, for example from `openssl rand -hex 32`; to replace it, list the old and the new one, separated by a comma without blanks';
export const secret = z
  .string({ error: secretHint })
  .refine((text) => allSecrets(text).every((one) => one.length >= 32), { error: secretHint })
  // A blank after the comma of `old, new` would become part of the new secret, until it stands first: replicas would then disagree.
  // A line break at the end, as files often have it, cannot be sent in a header.
  .refine((text) => !/^\s|\s$|\s,|,\s/.test(text), { error: secretHint })
  .meta(isSecret);

/** Issued by a third party and sent unchanged. A line break at its end would fail only when it is sent, with an error that quotes it. */
export const credential = z
  .string()
  .regex(/^[\x21-\x7e]+$/, { error: 'must be printable characters without spaces or line breaks' });

const adminTokenHint =
  'must be a random text of 32 to 200 characters without blanks and commas, as `admin token create` prints it';
export const adminToken = z
  .string({ error: adminTokenHint })
  .regex(tokenPattern, { error: adminTokenHint })
  .meta({
    ...isSecret,
    description:
      'The token of the person who uses the admin tool, or of the console. Each service gets a different credential derived from it, and stores only the hash of that credential (ADMIN_TOKEN_HASHES).',
  });

const adminTokenHashesHint = 'must be like ann:HASH,bo:HASH';
/** Turns a parse problem into a message of the setting. */
export function checkTokenHashes(text: string, context: z.RefinementCtx<string>): void {
  const parsed = parseTokenHashes(text);
  if (!parsed.ok) context.addIssue({ code: 'custom', message: `${adminTokenHashesHint}: ${parsed.problem}` });
}
/** The secret that signs the caller contexts sent to one service. */
export function contextSecret(service: ServiceName) {
  return secret.meta({
    description: `Signs the caller context in calls to ${service}. All services that have this setting need the same value.`,
  });
}

export function serviceUrl(service: ServiceName) {
  return httpUrl.meta({
    description: `Address of ${service} inside the network.`,
    example: `http://${service}:8080`,
  });
}

export const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
  error: 'must be one of trace, debug, info, warn, error, fatal, silent',
});

const portHint = 'must be a port number from 0 (any free port) to 65535';
export const port = z
  .string({ error: portHint })
  .regex(/^\d{1,5}$/, { error: portHint })
  .transform(Number)
  .refine((number) => number <= 65_535, { error: portHint });

export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string({ error })
    .regex(new RegExp(`^\\d{1,${String(max).length}}$`, 'u'), { error })
    .transform(Number)
    .refine((number) => number >= min && number <= max, { error });
}

/** The settings of every HTTP service; spread them into the service's own schema. */
export const httpSettings = {
  HOST: z.string().default('127.0.0.1').meta({
    description:
      'Address of this machine on which the service listens. In containers use 0.0.0.0 (all addresses): there the container platform decides what can be reached from outside.',
  }),
  PORT: port.default(8080).meta({ description: 'Port on which the service listens; 0 takes any free port.' }),
  LOG_LEVEL: logLevel.default('info').meta({
    description:
      'The lowest level that is logged: trace, debug, info, warn, error, fatal or silent. Use debug when you look for a fault.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().meta({
    description:
      'The OpenTelemetry collector that receives the traces, by OTLP over HTTP. Without it no traces are sent; logs have trace ids in both cases.',
    example: 'http://otel-collector:4318',
  }),
};

const adminTokenHashes = z
  .string({ error: adminTokenHashesHint })
  .superRefine(checkTokenHashes)
  .meta({
    ...isSecret,
    description:
      'Who may use the admin routes of this service: for each person the name, as audit logs show it, and the hash of a token, separated by commas, as `admin token create` prints them. Each service has its own list. `console` is the console, which calls for the person who is signed in there. While a token is being replaced, its owner is in the list twice.',
    example: 'ann:HASH,console:HASH',
  });

/** The trigger that protects the audit log (platform migration 0001) allows no less than 90 days. */
const auditRetentionDays = wholeNumber(90, 3_650).default(730).meta({
  description:
    'For how many days the audit log of admin calls is kept, 90 to 3650. Older entries are removed every hour.',
  example: '1095',
});

/** The settings of the admin routes of every service; spread them into the service's own schema. */
export const adminSettings = {
  ADMIN_PORT: port.default(9080).meta({
    description:
      'Port of the admin routes and of /metrics, which PORT does not have; 0 takes any free port. Only the admin tool, the console and Prometheus need to reach it.',
  }),
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  AUDIT_RETENTION_DAYS: auditRetentionDays,
};

/** The same setting, for code that runs before the config is read. If this standard variable is set, exporters are on. */
export function telemetryEndpoint(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined;
}
