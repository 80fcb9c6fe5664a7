/** The console's settings: the addresses of the services, the staff who may sign in, and the console's own address. */
import {
  checkTokenHashes,
  fileVariable,
  httpSettings,
  httpUrl,
  readConfig,
} from '@offer-ads/platform/config/config';
import { z } from 'zod';
import { adminToolSettings } from '../config.ts';

export const consoleSettings = adminToolSettings.omit({ RABBITMQ_URL: true }).extend({
  ...httpSettings,
  PUBLIC_URL: httpUrl.meta({
    description:
      "The console's address as staff see it, within the platform's own network. With https, cookies are for https only.",
    example: 'https://console.internal.example',
  }),
  CONSOLE_STAFF: z.string({ error: 'must be like ann:HASH,bo:HASH' }).superRefine(checkTokenHashes).meta({
    secret: true,
    description:
      'Who may sign in to the console: names, as audit logs have them, and the hash of a token for each, separated by commas, as `admin token create` prints them. Somebody stands there twice while the token is replaced. As a file it is read anew when it changes: who is no longer there is out at once.',
    example: 'ann:HASH,bo:HASH',
  }),
});

export type ConsoleConfig = z.infer<typeof consoleSettings> & {
  /** Set when the staff come from a file, which may change. */
  readonly staffFile: string | undefined;
};

export function readConsoleConfig(env: NodeJS.ProcessEnv = process.env): ConsoleConfig {
  return { ...readConfig(consoleSettings, env), staffFile: env[fileVariable('CONSOLE_STAFF')] || undefined };
}
