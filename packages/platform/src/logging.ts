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
    timestamp: isoTime(),
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
  return pino(options, o.destination ?? pino.destination({ sync: false }));
}

/** As pino writes it; lines of one millisecond share the text. */
function isoTime(): () => string {
  let lastMs = 0;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}

/**
 * The same logger for lines whose fields are all known to be harmless, many a second: looking for secrets in them would
 * cost more than writing them.
 */
export function unredacted(logger: Logger): Logger {
  return logger.child({}, { redact: [] });
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
