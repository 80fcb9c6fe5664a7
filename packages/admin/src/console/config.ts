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
      "Address of the console for staff, in the platform's own network. With https, its cookies are sent only over https.",
    example: 'https://console.internal.example',
  }),
  CONSOLE_STAFF: z.string({ error: 'must be like ann:HASH,bo:HASH' }).superRefine(checkTokenHashes).meta({
    secret: true,
    description:
      'Who may sign in to the console: for each person the name, as audit logs show it, and the hash of a token, separated by commas, as `admin token create` prints them. While a token is being replaced, its owner is in the list twice. A file is read again when it changes: a person who was removed is signed out at once.',
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
