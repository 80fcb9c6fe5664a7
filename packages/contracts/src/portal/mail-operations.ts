/** The portal API's calls about the signed-in person's mails. The gateway passes them on to the notifier. */
import { mailPreferences } from '../internal/notifier-api.ts';
import { reply } from '../public/reply-headers.ts';
import { named, pathsOf, section } from './operations.ts';

const preferences = named('MailPreferences', mailPreferences);
const description =
  'For the signed-in person in the current organisation of the session. Mails about payments, credits and payment links, and mails with a sign-in link, cannot be switched off. A mail that is being sent already may still arrive.';

const mails = section('Mails');

export const mailPaths = pathsOf({
  'GET /mail-preferences': mails.read({
    id: 'readMailPreferences',
    summary: 'Which optional mails the person wants',
    description,
    replies: { '200': reply('The preferences.', preferences) },
  }),
  'PUT /mail-preferences': mails.change({
    id: 'setMailPreferences',
    summary: 'Switch optional mails on and off; the body names all of them',
    description,
    body: mailPreferences,
    replies: { '200': reply('The preferences.', preferences) },
  }),
});
