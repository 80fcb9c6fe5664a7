/** The notifier's internal interface: what the gateway asks of it for a person who is signed in. */
import { z } from 'zod';

/**
 * GET /internal/mail-preferences, and PUT, which answers with them: whether the caller's person wants the mails that can be
 * switched off. All others, of money that moved or is owed and with links to sign in, always come.
 */
export const mailPreferences = z.strictObject({
  offerEnded: z.boolean().meta({ description: 'An offer has ended.' }),
  balanceLow: z.boolean().meta({
    description: 'The balance has fallen below the threshold that the organisation set.',
  }),
});
export type MailPreferences = z.infer<typeof mailPreferences>;

/** A mail that a person may switch off. */
export const optionalMail = mailPreferences.keyof();
export type OptionalMail = z.infer<typeof optionalMail>;
