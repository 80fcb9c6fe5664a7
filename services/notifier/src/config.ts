/** Settings of the notifier; only this file reads the environment. */
import { readFileSync } from 'node:fs';
import {
  adminSettings,
  amqpUrl,
  contextSecret,
  httpSettings,
  httpUrl,
  isSecret,
  mongoUrl,
  readConfig,
  secret,
  wholeNumber,
} from '@offer-ads/platform/config/config';
import { z } from 'zod';
import { smtpProblem } from './smtp/smtp-address.ts';

const rateHint = 'must be a number of mails per second from 0.1, for example 14 or 0.5';

export const notifierSettings = z.object({
  ...httpSettings,
  ...adminSettings,
  MONGO_URL: mongoUrl,
  RABBITMQ_URL: amqpUrl,
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an address such as smtps://user:password@host:465' })
    .meta({
      ...isSecret,
      description:
        'The mail server, with its user and password: smtps:// on 465, or smtp:// with STARTTLS on 587.',
      example: 'smtps://user:password@mail.example:465',
    }),
  SMTP_TLS: z
    .enum(['required', 'off'], { error: 'must be required or off; left out, it is required but on loopback' })
    .optional()
    .meta({
      description:
        'required: the connection to the mail server is encrypted and its certificate is verified. off: neither; only for your own network.',
      example: 'off',
      without: 'required, except on loopback',
    }),
  SMTP_CA_FILE: z
    .string()
    .refine(isCertificateFile, { error: 'must be a readable file of certificates (PEM)' })
    .optional()
    .meta({
      description:
        'File with certificates (PEM) of authorities. Only these may have issued the certificate of the mail server.',
      example: '/etc/offer-ads/smtp-ca.pem',
      without: "Node's own list of authorities",
    }),
  SMTP_CONNECTIONS: wholeNumber(1, 100).default(5).meta({
    description:
      'Most connections of each replica to the mail server at once, 1 to 100: as many as its provider allows.',
  }),
  SMTP_RATE_PER_SECOND: z
    .string()
    .regex(/^\d{1,5}(\.\d{1,3})?$/, { error: rateHint })
    .transform(Number)
    .refine((rate) => rate >= 0.1, { error: rateHint })
    .optional()
    .meta({
      description:
        'Most mails per second of each replica: as many as the provider allows, divided by the replicas.',
      example: '14',
      without: 'unlimited',
    }),
  MAIL_FROM: z
    .string({ error: 'must be a sender such as Offers <offers@example.com>' })
    .regex(/^([^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, {
      error: 'must be a sender such as Offers <offers@example.com>',
    })
    .meta({ description: 'Sender of all mails.', example: 'Offers <offers@ads.example>' }),
  PORTAL_URL: httpUrl.meta({
    description: 'Address of the portal for links in mails: the public address of the gateway, and /portal.',
    example: 'https://ads.example/portal',
  }),
  NOTIFIER_CONTEXT_SECRET: contextSecret('notifier'),
  UNSUBSCRIBE_SECRET: secret.meta({
    description:
      'Signs the links that unsubscribe from mails. After a change, the links in mails that were sent before do not work.',
  }),
  WEBHOOK_SEAL_SECRET: secret.meta({
    description:
      'Seals the secrets of webhook endpoints in the database. Endpoints whose secret was sealed with one that is gone get no messages.',
  }),
  WEBHOOK_SENDER_ADDRESSES: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(
      z.array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
          error: 'must be addresses or networks separated by commas, such as 192.0.2.10,2001:db8::/64',
        }),
      ),
    )
    .optional()
    .meta({
      description:
        'Public addresses or networks from which webhooks come, separated by commas. Published in the list of webhooks, so that receivers can open their firewalls for them.',
      example: '192.0.2.10,2001:db8::/64',
      without: 'none is published',
    }),
  WEBHOOK_TEST_TARGETS: z
    .enum(['public', 'any'], { error: 'must be public or any; left out, it is public' })
    .default('public')
    .meta({
      description:
        'Where webhooks of TEST mode may go. public: to https addresses of the public internet, as those of LIVE mode always do. any: also by http and to your own network; only for development.',
    }),
});

const settings = notifierSettings.superRefine(({ SMTP_URL, SMTP_TLS }, context) => {
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
