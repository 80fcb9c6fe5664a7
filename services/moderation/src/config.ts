/** Settings of moderation; the only reader of the environment. */
import { availableParallelism } from 'node:os';
import { httpSettings, mongoUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';

const share = z
  .string()
  .regex(/^(0(\.\d+)?|1(\.0+)?)$/, { error: 'must be a number from 0 to 1, for example 0.6' })
  .transform(Number);
const count = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, { error: 'must be a whole number from 1 to 9999' })
  .transform(Number);

const settings = z.object({
  ...httpSettings,
  MONGO_URL: mongoUrl,
  ADMIN_TOKEN: secret,
  MODERATION_CONTEXT_SECRET: secret,
  // More likely unsafe than not, with room for the model's doubts about honest pictures of people.
  EXPLICIT_THRESHOLD: share.default(0.6),
  // Only what the model has hardly any other reading for.
  SUGGESTIVE_THRESHOLD: share.default(0.9),
  // Pictures that are worked on at once, each with a thread of the model.
  MODEL_THREADS: count.default(availableParallelism()),
  // A picture takes a fifth of a second of one core: whoever waits behind 32 others still gets an answer in time.
  MOST_WAITING: count.default(32),
});

export type ModerationConfig = z.infer<typeof settings>;

export function readModerationConfig(env: NodeJS.ProcessEnv = process.env): ModerationConfig {
  return readConfig(settings, env);
}
