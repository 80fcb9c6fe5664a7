/** The calls of the portal API about the signed-in person's mails, which the gateway passes on to the notifier. */
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { mailPreferences } from '../internal/notifier-api.ts';
import { change, named, read, reply } from './operations.ts';

const preferences = named('MailPreferences', mailPreferences);
const description =
  'Of the person in the organisation that the session is in. Mails of payments, credits and payment links, and those with a link to sign in, cannot be switched off. A mail that is on its way already may still come.';

export const mailPaths = {
  '/mail-preferences': {
    get: read('Mails', {
      id: 'readMailPreferences',
      summary: 'Which of the mails that can be switched off the person wants',
      description,
      replies: { '200': reply('The preferences.', preferences) },
    }),
    put: change('Mails', {
      id: 'setMailPreferences',
      summary: 'Switch mails on and off; every one is to be named',
      description,
      body: mailPreferences,
      replies: { '200': reply('The preferences.', preferences) },
    }),
  },
} satisfies ZodOpenApiPathsObject;
