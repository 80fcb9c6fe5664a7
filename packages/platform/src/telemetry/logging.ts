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
    timestamp: isoTime(),
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

/** In pino's format. Lines of the same millisecond reuse the text. */
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
 * Writes the log line of a request. `fields` is JSON without its braces and must not contain secrets: it is not searched for them,
 * because that would cost more than the rest of serving a request.
 */
export function writeAccessLog(logger: Logger): (fields: string, ids: ReturnType<typeof idsToLog>) => void {
  const { streamSym, chindingsSym } = pino.symbols as unknown as Record<'streamSym' | 'chindingsSym', symbol>;
  const inside = logger as unknown as Record<symbol, unknown>;
  const stream = inside[streamSym] as pino.DestinationStream;
  const bindings = inside[chindingsSym] as string;
  const time = isoTime();
  return (fields, { traceId, spanId }) => {
    if (!logger.isLevelEnabled('info')) return;
    let trace = traceId === undefined ? '' : `"traceId":"${traceId}",`;
    if (spanId !== undefined) trace += `"spanId":"${spanId}",`;
    stream.write(`{"level":"info"${time()}${bindings},${trace}${fields},"msg":"request"}\n`);
  };
}

/** Logs only these fields of an error and of its causes: drivers add whole queries and rows to theirs. */
function describeError(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
