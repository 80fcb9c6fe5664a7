/** A logger for tests: silent, so that a passing run prints nothing. */
import { createLogger, type Logger } from '@offer-ads/platform/telemetry/logging';

export const silentLogger: Logger = createLogger({ service: 'test', level: 'silent' });
