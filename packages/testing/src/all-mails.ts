/** The preferences of a person who wants every mail, of TEST mode too. */
import { type MailPreferences, optionalMail } from '@offer-ads/contracts/internal/notifier-api';

export const allMails = {
  ...Object.fromEntries(optionalMail.options.map((mail) => [mail, true])),
  testMode: true,
} as MailPreferences;
