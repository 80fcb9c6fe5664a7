/** The notifier's internal interface, which the gateway calls for a signed-in person. */
import { z } from 'zod';

/**
 * GET and PUT /internal/mail-preferences, both answered with the preferences: which optional mails the caller's person wants. Mails about
 * payments and credits of LIVE mode and mails with a sign-in link are always sent.
 */
export const mailPreferences = z.strictObject({
  offerEndsSoon: z.boolean().meta({ description: 'An offer ends in a day.' }),
  offerEnded: z.boolean().meta({ description: 'An offer has ended.' }),
  balanceLow: z.boolean().meta({
    description: 'The balance has fallen below the threshold that the organisation set.',
  }),
  weeklyReport: z.boolean().meta({ description: 'A week is over in which LIVE offers ran: their results.' }),
  testMode: z.boolean().default(false).meta({
    description: 'Mails about offers and money of TEST mode too, in which nothing is real.',
  }),
});
export type MailPreferences = z.infer<typeof mailPreferences>;

/** A mail that a person may switch off. */
export const optionalMail = mailPreferences.omit({ testMode: true }).keyof();
export type OptionalMail = z.infer<typeof optionalMail>;
