/** Settings of moderation; only this file reads the environment. */
import { availableParallelism } from 'node:os';
import {
  adminSettings,
  contextSecret,
  httpSettings,
  mongoUrl,
  readConfig,
  wholeNumber,
} from '@offer-ads/platform/config/config';
import { z } from 'zod';

const share = z
  .string()
  .regex(/^(0(\.\d+)?|1(\.0+)?)$/, { error: 'must be a number from 0 to 1, for example 0.6' })
  .transform(Number);
const count = wholeNumber(1, 9_999);

export const moderationSettings = z.object({
  ...httpSettings,
  MONGO_URL: mongoUrl,
  ...adminSettings,
  MODERATION_CONTEXT_SECRET: contextSecret('moderation'),
  // Above 0.5, so that honest pictures of people pass although the model is not sure about them.
  EXPLICIT_THRESHOLD: share.default(0.6).meta({
    description:
      'A picture with this score or more, 0 to 1, is refused as explicit (the sum of Porn and Hentai). A lower value refuses more pictures, also harmless ones.',
  }),
  // High: only pictures for which the model has hardly any other explanation.
  SUGGESTIVE_THRESHOLD: share.default(0.9).meta({
    description:
      'A picture with this score or more, 0 to 1, is refused as suggestive (the sum of Porn, Hentai and Sexy). A lower value refuses more pictures, also harmless ones.',
  }),
  PICTURES_AT_ONCE: count.default(availableParallelism()).meta({
    description: 'How many pictures are checked at the same time: as many as the service has processors.',
    example: '2',
    without: "the machine's processors",
  }),
  // An ordinary picture takes less than 0.1 s of one core, so a picture behind 32 others still gets an answer in time.
  MAX_WAITING: count.default(32).meta({
    description:
      'How many pictures may wait to be checked. If more come, one is refused at once, with Retry-After: the last one of the longest queue, with 429, or the new one, with 503.',
  }),
  // A sixth of a core: 30,000 ordinary pictures, or 100 of those that take longest.
  PICTURE_SECONDS_PER_HOUR: wholeNumber(1, 999_999).default(600).meta({
    description:
      'How many seconds of processor time the pictures of one organisation may take in an hour, in all replicas together. Above it, its creations are answered 429 until the hour is over.',
  }),
});

export type ModerationConfig = z.infer<typeof moderationSettings>;

export function readModerationConfig(env: NodeJS.ProcessEnv = process.env): ModerationConfig {
  return readConfig(moderationSettings, env);
}
