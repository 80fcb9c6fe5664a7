/** Settings of the notifier; the only reader of the environment. */
import { amqpUrl, httpSettings, httpUrl, mongoUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';

export type NotifierConfig = {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly adminToken: string;
  readonly mongoUrl: string;
  readonly rabbitmqUrl: string;
  readonly smtpUrl: string;
  readonly mailFrom: string;
  readonly portalUrl: string;
};

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
});

export function readNotifierConfig(env: NodeJS.ProcessEnv = process.env): NotifierConfig {
  const given = readConfig(settings, env);
  return {
    host: given.HOST,
    port: given.PORT,
    logLevel: given.LOG_LEVEL,
    adminToken: given.ADMIN_TOKEN,
    mongoUrl: given.MONGO_URL,
    rabbitmqUrl: given.RABBITMQ_URL,
    smtpUrl: given.SMTP_URL,
    mailFrom: given.MAIL_FROM,
    portalUrl: given.PORTAL_URL,
  };
}
