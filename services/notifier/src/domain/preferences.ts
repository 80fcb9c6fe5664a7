/** The mails that a person wants. Only optional mails can be switched off, so there is little to store. */
import type { MailPreferences, OptionalMail } from '@offer-ads/contracts/internal/notifier-api';

export type { MailPreferences, OptionalMail };

/** Of a person who has chosen nothing. Mails of TEST mode are sent only to those who have switched them on: nothing in it is real. */
export const usualPreferences: MailPreferences = {
  offerEndsSoon: true,
  offerEnded: true,
  balanceLow: true,
  weeklyReport: true,
  testMode: false,
};

/** Completes "mails about": "mails about ended offers". */
export const mailSubjects = {
  offerEndsSoon: 'offers that end soon',
  offerEnded: 'ended offers',
  balanceLow: 'a low balance',
  weeklyReport: 'the results of a week',
} as const satisfies Record<OptionalMail, string>;
