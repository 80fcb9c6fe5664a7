/** Logs as JSON lines with trace ids, and without secrets or personal data. */
import { types } from 'node:util';
import { trace } from '@opentelemetry/api';
import { pino } from 'pino';

export type Logger = pino.Logger;

/** Fields that must never reach a log, wherever somebody puts them by mistake. */
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
    // One name for errors: pino's own `err` would write everything that a driver hangs on them.
    serializers: { error: describeError },
    errorKey: 'error',
    mixin: traceIds,
  };
  return o.destination === undefined ? pino(options) : pino(options, o.destination);
}

/** Only these fields of an error and of its causes: drivers hang whole queries and rows on theirs. */
function describeError(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}

function traceIds(): Record<string, string> {
  const context = trace.getActiveSpan()?.spanContext();
  return context === undefined ? {} : { traceId: context.traceId, spanId: context.spanId };
}
