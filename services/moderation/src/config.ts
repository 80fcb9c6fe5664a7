/** Settings of moderation; only this file reads the environment. */
import { availableParallelism } from 'node:os';
import {
  adminTokenHashes,
  auditRetentionDays,
  contextSecret,
  credential,
  httpSettings,
  httpUrl,
  isSecret,
  mongoUrl,
  readConfig,
  wholeNumber,
} from '@offer-ads/platform/config/config';
import { z } from 'zod';
import type { ModelSettings } from './hosted/open-model.ts';

const share = z
  .string()
  .regex(/^(0(\.\d+)?|1(\.0+)?)$/, { error: 'must be a number from 0 to 1, for example 0.6' })
  .transform(Number);
const count = wholeNumber(1, 9_999);

export const moderationSettings = z.object({
  ...httpSettings,
  MONGO_URL: mongoUrl,
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  AUDIT_RETENTION_DAYS: auditRetentionDays,
  MODERATION_CONTEXT_SECRET: contextSecret('moderation'),
  // Above 0.5, so that honest pictures of people pass although the model is not sure about them.
  EXPLICIT_THRESHOLD: share.default(0.6).meta({
    description:
      'A picture with this score or more, 0 to 1, is refused as explicit (our own model: the sum of Porn and Hentai). A lower value refuses more pictures, also harmless ones.',
  }),
  // High: only pictures for which the model has hardly any other explanation.
  SUGGESTIVE_THRESHOLD: share.default(0.9).meta({
    description:
      'A picture with this score or more, 0 to 1, is refused as suggestive (our own model: the sum of Porn, Hentai and Sexy). A lower value refuses more pictures, also harmless ones.',
  }),
  PICTURES_AT_ONCE: count.default(availableParallelism()).meta({
    description: 'How many pictures are checked at the same time: as many as the service has processors.',
    example: '2',
    without: "the machine's processors",
  }),
  // An ordinary picture takes less than 0.1 s of one core, so a picture behind 32 others still gets an answer in time.
  MAX_WAITING: count.default(32).meta({
    description:
      'How many pictures may wait to be checked. If more come, one is refused at once, with Retry-After: the last one of the longest line, with 429, or the new one, with 503.',
  }),
  // A sixth of a core: 30,000 ordinary pictures, or 100 of those that take longest.
  PICTURE_SECONDS_PER_HOUR: wholeNumber(1, 999_999).default(600).meta({
    description:
      'How many seconds of processor time the pictures of one organisation may take in an hour, in all replicas together. Above it, its creations are answered 429 until the hour is over.',
  }),
  MODERATION_MODEL: z
    .enum(['nsfwjs', 'rekognition'], { error: 'must be nsfwjs or rekognition' })
    .default('nsfwjs')
    .meta({
      description:
        'What checks pictures: nsfwjs (a model in this service) or rekognition (a hosted service, to which all pictures are sent).',
      example: 'rekognition',
    }),
  HOSTED_MODEL_URL: httpUrl.optional().meta({
    description: 'Address of a proxy in front of the hosted service.',
    example: 'https://proxy.example',
    without: "the hosted service's own",
  }),
  REKOGNITION_REGION: credential.optional().meta({
    description: 'Region of AWS Rekognition; needed with rekognition.',
    example: 'eu-west-1',
  }),
  REKOGNITION_ACCESS_KEY_ID: credential.optional().meta({
    ...isSecret,
    description: 'Id of a key that may call rekognition:DetectModerationLabels; needed with rekognition.',
  }),
  REKOGNITION_SECRET_ACCESS_KEY: credential
    .optional()
    .meta({ ...isSecret, description: 'The secret of that key.' }),
});

const neededByRekognition = {
  REKOGNITION_REGION: 'such as eu-west-1',
  REKOGNITION_ACCESS_KEY_ID: 'the id of a key that may call rekognition:DetectModerationLabels',
  REKOGNITION_SECRET_ACCESS_KEY: 'its secret',
} as const;

const schema = Object.entries(neededByRekognition).reduce(
  (whole, [name, what]) =>
    whole.refine(
      (given) =>
        given.MODERATION_MODEL !== 'rekognition' ||
        given[name as keyof typeof neededByRekognition] !== undefined,
      {
        path: [name],
        error: `needed while MODERATION_MODEL is rekognition: ${what}`,
        // Reported together with all other problems.
        when: () => true,
      },
    ),
  moderationSettings,
);

export type ModerationConfig = z.infer<typeof schema>;

export function readModerationConfig(env: NodeJS.ProcessEnv = process.env): ModerationConfig {
  return readConfig(schema, env);
}

/** The schema guarantees the settings of the chosen model. */
export function modelOf(config: ModerationConfig): ModelSettings {
  const url = config.HOSTED_MODEL_URL;
  switch (config.MODERATION_MODEL) {
    case 'nsfwjs':
      return { kind: 'nsfwjs' };
    case 'rekognition':
      return {
        kind: 'rekognition',
        url,
        region: config.REKOGNITION_REGION ?? '',
        accessKeyId: config.REKOGNITION_ACCESS_KEY_ID ?? '',
        secretAccessKey: config.REKOGNITION_SECRET_ACCESS_KEY ?? '',
      };
  }
}
