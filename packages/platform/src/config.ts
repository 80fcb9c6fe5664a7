/** Reading settings from the environment: every problem at once, with its fix, and never a value. */
import { z } from 'zod';

/** Settings are missing or wrong. The message names variables only: values may be secrets and logs are read by many. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Settings are missing or wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Parses the variables that the schema names; an empty variable counts as missing, as compose files write it. */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv): z.infer<S> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, env[name] === '' ? undefined : env[name]]),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      return given[name] === undefined ? `${name} is missing: ${issue.message}` : `${name}: ${issue.message}`;
    }),
  );
}

function address(example: string, protocols: RegExp) {
  return z.url({ protocol: protocols, error: `must be an address such as ${example}` });
}

export const postgresUrl = address('postgres://user@host:5432/database', /^postgres(ql)?$/);
const mongoExample = 'mongodb://host:27017/database?replicaSet=rs0';
const mongoHost = address(mongoExample, /^mongodb(\+srv)?$/);
/** It may name several members of a replica set, separated by commas, which is more than a URL can. */
export const mongoUrl = z
  .string({ error: `must be an address such as ${mongoExample}` })
  .refine((text) => mongoHost.safeParse(text.replace(/,[^/?@]+/, '')).success, {
    error: `must be an address such as ${mongoExample}`,
  });
export const amqpUrl = address('amqp://user:password@host:5672', /^amqps?$/);
/** Without the trailing slash, so that paths are simply appended. */
export const httpUrl = address('https://host:8080', /^https?$/).transform((url) => url.replace(/\/+$/, ''));

/** 32 characters: a signing secret or an admin credential that cannot be guessed. There is no default on purpose. */
const secretHint = 'must be a random text of at least 32 characters, for example from `openssl rand -hex 32`';
export const secret = z.string({ error: secretHint }).min(32, { error: secretHint });

export const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
  error: 'must be one of trace, debug, info, warn, error, fatal, silent',
});

const portHint = 'must be a port number from 0 (any free port) to 65535';
export const port = z
  .string({ error: portHint })
  .regex(/^\d{1,5}$/, { error: portHint })
  .transform(Number)
  .refine((number) => number <= 65_535, { error: portHint });

/** What every service that listens needs; spread it into the service's own schema. */
export const httpSettings = {
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  LOG_LEVEL: logLevel.default('info'),
};

/** OpenTelemetry's standard variable; its presence alone switches exporters on. */
export function telemetryEndpoint(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined;
}
