/** Settings of the notifier; the only reader of the environment. */
import { readFileSync } from 'node:fs';
import { amqpUrl, httpSettings, httpUrl, mongoUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';
import { smtpProblem } from './smtp-address.ts';

const rateHint = 'must be a number of mails per second, for example 14 or 0.5';
const connectionsHint = 'must be a number of connections from 1 to 100';

const everySetting = z.object({
  ...httpSettings,
  ADMIN_TOKEN: secret,
  MONGO_URL: mongoUrl,
  RABBITMQ_URL: amqpUrl,
  SMTP_URL: z.url({
    protocol: /^smtps?$/,
    error: 'must be an address such as smtps://user:password@host:465',
  }),
  SMTP_TLS: z
    .enum(['required', 'off'], { error: 'must be required or off; left out, it is required but on loopback' })
    .optional(),
  SMTP_CA_FILE: z
    .string()
    .refine(isCertificateFile, { error: 'must be a readable file of certificates (PEM)' })
    .optional(),
  SMTP_CONNECTIONS: z
    .string({ error: connectionsHint })
    .regex(/^([1-9]\d?|100)$/, { error: connectionsHint })
    .transform(Number)
    .default(5),
  SMTP_RATE_PER_SECOND: z
    .string()
    .regex(/^\d{1,5}(\.\d{1,3})?$/, { error: rateHint })
    .transform(Number)
    .refine((rate) => rate > 0, { error: rateHint })
    .optional(),
  MAIL_FROM: z
    .string({ error: 'must be a sender such as Offers <offers@example.com>' })
    .regex(/^([^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, {
      error: 'must be a sender such as Offers <offers@example.com>',
    }),
  PORTAL_URL: httpUrl,
  NOTIFIER_CONTEXT_SECRET: secret,
  UNSUBSCRIBE_SECRET: secret,
});

const settings = everySetting.superRefine(({ SMTP_URL, SMTP_TLS }, context) => {
  const problem = smtpProblem(SMTP_URL, SMTP_TLS);
  if (problem !== undefined) context.addIssue({ code: 'custom', path: ['SMTP_URL'], message: problem });
});

export type NotifierConfig = z.infer<typeof settings>;

export function readNotifierConfig(env: NodeJS.ProcessEnv = process.env): NotifierConfig {
  return readConfig(settings, env);
}

function isCertificateFile(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN CERTIFICATE-----');
  } catch {
    return false;
  }
}
