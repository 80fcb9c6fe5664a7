/** Logs as JSON lines with trace ids, and without secrets or personal data. */
import { types } from 'node:util';
import { pino } from 'pino';
import { idsToLog } from './traces.ts';

export type Logger = pino.Logger;

/** Fields that are removed from every log line, in case somebody logs them by mistake. */
const secretFields = [
  'password',
  'secret',
  'token',
  'callerToken',
  'apiKey',
  'key',
  'authorization',
  'cookie',
  'email',
  '["x-api-key"]',
  '["x-caller-context"]',
];

export function createLogger(o: {
  service: string;
  level: string;
  destination?: pino.DestinationStream;
}): Logger {
  const options: pino.LoggerOptions = {
    level: o.level,
    base: { service: o.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: secretFields.flatMap((field) => [field, field.startsWith('[') ? `*${field}` : `*.${field}`]),
      censor: '[redacted]',
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

/** Logs only these fields of an error and of its causes: drivers add whole queries and rows to theirs. */
function describeError(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
