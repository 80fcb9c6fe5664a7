/** Settings of the notifier; the only reader of the environment. */
import { amqpUrl, httpSettings, httpUrl, mongoUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';

const settings = z.object({
  ...httpSettings,
  ADMIN_TOKEN: secret,
  MONGO_URL: mongoUrl,
  RABBITMQ_URL: amqpUrl,
  SMTP_URL: z.url({
    protocol: /^smtps?$/,
    error: 'must be an address such as smtps://user:password@host:465',
  }),
  MAIL_FROM: z
    .string({ error: 'must be a sender such as Offers <offers@example.com>' })
    .regex(/^([^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, {
      error: 'must be a sender such as Offers <offers@example.com>',
    }),
  PORTAL_URL: httpUrl,
  NOTIFIER_CONTEXT_SECRET: secret,
  UNSUBSCRIBE_SECRET: secret,
});

export type NotifierConfig = z.infer<typeof settings>;

export function readNotifierConfig(env: NodeJS.ProcessEnv = process.env): NotifierConfig {
  return readConfig(settings, env);
}
