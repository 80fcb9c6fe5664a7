/** Loggers for tests. */
import { createLogger, type Logger } from '@offer-ads/platform/telemetry/logging';

/** Silent, so that a passing run prints nothing. */
export const silentLogger: Logger = createLogger({ service: 'test', level: 'silent' });

/** A logger whose lines a test reads. */
export function collectingLogger(level = 'info'): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { logger: createLogger({ service: 'test', level, destination }), lines };
}
