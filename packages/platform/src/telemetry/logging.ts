/** Logs as JSON lines with trace ids, and without secrets or personal data. */
import { types } from 'node:util';
import { pino } from 'pino';
import { idsToLog } from './traces.ts';

export type Logger = pino.Logger;

/** Fields that are removed from every log line, in case somebody logs them by mistake. */
const secretFields: ReadonlySet<string> = new Set([
  'password',
  'secret',
  'token',
  'callerToken',
  'apiKey',
  'key',
  'authorization',
  'cookie',
  'email',
  'x-api-key',
  'x-caller-context',
]);

export function createLogger(o: {
  service: string;
  level: string;
  destination?: pino.DestinationStream;
}): Logger {
  const options: pino.LoggerOptions = {
    level: o.level,
    base: { service: o.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    // Pino's own `redact` searches every value once for each name: 15 µs a line, four times as much as all the rest of it.
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => withoutSecrets(fields, withoutSecrets),
    },
    // Errors are logged as `error`: pino's own `err` would write all properties that a driver adds to them.
    serializers: { error: describeError },
    errorKey: 'error',
    mixin: idsToLog,
  };
  return pino(options, o.destination ?? pino.destination(buffered));
}

/**
 * Lines are written in groups: a write for each would cost as much as serving a request. They are written within a tenth of a second, and
 * before the process ends. If nothing reads the output, lines are dropped and the memory stays bounded.
 */
const buffered = { sync: false, minLength: 8 * 1024, periodicFlush: 100, maxLength: 16 * 1024 * 1024 };

type Fields = Record<string, unknown>;

/** @param nested removes them from the objects in the fields too */
function withoutSecrets(fields: Fields, nested?: (fields: Fields) => Fields): Fields {
  let shown = fields;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    const isNested = typeof value === 'object' && value !== null && !types.isNativeError(value);
    let safe = value;
    if (secretFields.has(name)) safe = '[redacted]';
    else if (isNested && nested !== undefined) safe = nested(value as Fields);
    if (safe === value) continue;
    if (shown === fields) shown = { ...fields };
    shown[name] = safe;
  }
  return shown;
}

/** Logs only these fields of an error and of its causes: drivers add whole queries and rows to theirs. */
function describeError(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
