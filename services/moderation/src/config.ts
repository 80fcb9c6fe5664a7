/** Settings of moderation; the only reader of the environment. */
import { availableParallelism } from 'node:os';
import { httpSettings, mongoUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';
import type { Thresholds } from './domain/decision.ts';

export type ModerationConfig = {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly mongoUrl: string;
  readonly contextSecret: string;
  readonly thresholds: Thresholds;
  /** Pictures that are worked on at once, each with a thread of the model. */
  readonly threads: number;
  /** Pictures that may wait for a place; one more is answered 503. */
  readonly mostWaiting: number;
};

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
  MODERATION_CONTEXT_SECRET: secret,
  // More likely unsafe than not, with room for the model's doubts about honest pictures of people.
  EXPLICIT_THRESHOLD: share.default(0.6),
  // Only what the model has hardly any other reading for.
  SUGGESTIVE_THRESHOLD: share.default(0.9),
  MODEL_THREADS: count.default(availableParallelism()),
  // A picture takes a fifth of a second of one core: whoever waits behind 32 others still gets an answer in time.
  MOST_WAITING: count.default(32),
});

export function readModerationConfig(env: NodeJS.ProcessEnv = process.env): ModerationConfig {
  const given = readConfig(settings, env);
  return {
    host: given.HOST,
    port: given.PORT,
    logLevel: given.LOG_LEVEL,
    mongoUrl: given.MONGO_URL,
    contextSecret: given.MODERATION_CONTEXT_SECRET,
    thresholds: { explicit: given.EXPLICIT_THRESHOLD, suggestive: given.SUGGESTIVE_THRESHOLD },
    threads: given.MODEL_THREADS,
    mostWaiting: given.MOST_WAITING,
  };
}
