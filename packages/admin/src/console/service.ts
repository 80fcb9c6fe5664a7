/** Composes the staff console. It has no store and no broker and uses only the services' admin routes. */

import { startHttpServer } from '@offer-ads/platform/http/server';
import { createFoundation, type Overrides } from '@offer-ads/platform/process/foundation';
import type { RunningService } from '@offer-ads/platform/process/process';
import { createServiceCalls } from '../service-calls.ts';
import { countAttempts } from './attempts.ts';
import type { ConsoleConfig } from './config.ts';
import { keepDecisions } from './decisions.ts';
import { createHealthReader } from './health.ts';
import { consoleRoutes } from './http/routes.ts';
import { keepSessions } from './sessions.ts';
import { signInService } from './sign-in/sign-in-service.ts';
import { nobody, parseStaff, type Staff } from './staff.ts';
import { followStaffFile } from './staff-file.ts';

export type Console = RunningService & { readonly url: string };

/** A person is waiting for the page. */
const ANSWER_MS = 8_000;

export async function startConsole(config: ConsoleConfig, overrides: Overrides = {}): Promise<Console> {
  const foundation = createFoundation('console', config.LOG_LEVEL, overrides);
  const { clock, logger } = foundation;
  const staff = staffOf(config, foundation);
  const signIn = config.signIn && signInService(config.signIn);
  if (staff !== undefined) logger.warn('emergency tokens are accepted: CONSOLE_BREAK_GLASS is set');
  const server = await startHttpServer({
    host: config.HOST,
    port: config.PORT,
    publicUrl: config.PUBLIC_URL,
    ...foundation,
    // Always ready: people need the console when services are not ready.
    readiness: async () => [],
    routes: consoleRoutes({
      publicUrl: config.PUBLIC_URL,
      signIn,
      staff,
      sessions: keepSessions(staff ?? (() => nobody)),
      attempts: countAttempts(),
      decisions: keepDecisions(clock),
      ask: createServiceCalls(config, { timeoutMs: ANSWER_MS }),
      health: createHealthReader({ settings: config, clock }),
      logger,
    }),
  });
  return server;
}

/** Undefined: emergency tokens are off. */
function staffOf(
  config: ConsoleConfig,
  o: Omit<Parameters<typeof followStaffFile>[0], 'path'>,
): (() => Staff) | undefined {
  if (config.breakGlassFile !== undefined) return followStaffFile({ path: config.breakGlassFile, ...o });
  if (config.CONSOLE_BREAK_GLASS === undefined) return undefined;
  const parsed = parseStaff(config.CONSOLE_BREAK_GLASS);
  const staff = parsed.ok ? parsed.staff : nobody;
  return () => staff;
}
