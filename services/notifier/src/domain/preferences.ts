/** The mails that a person wants. Only optional mails can be switched off, so there is little to store. */
import {
  type MailPreferences,
  type OptionalMail,
  optionalMail,
} from '@offer-ads/contracts/internal/notifier-api';

export type { MailPreferences, OptionalMail };

/** What a person has chosen; `asUsual` if nothing is stored. */
export type Chosen = {
  readonly switchedOff: ReadonlySet<OptionalMail>;
  /** Mails of TEST mode are sent only to those who have switched them on: nothing in it is real. */
  readonly testMode: boolean;
};

export const asUsual: Chosen = { switchedOff: new Set(), testMode: false };

/** Completes "mails about": "mails about ended offers". */
export const mailSubjects = {
  offerEnded: 'ended offers',
  balanceLow: 'a low balance',
} as const satisfies Record<OptionalMail, string>;

export function preferencesOf({ switchedOff, testMode }: Chosen): MailPreferences {
  const wanted = optionalMail.options.map((mail) => [mail, !switchedOff.has(mail)]);
  return { ...(Object.fromEntries(wanted) as Record<OptionalMail, boolean>), testMode };
}

export function chosenIn(preferences: MailPreferences): Chosen {
  const switchedOff = optionalMail.options.filter((mail) => !preferences[mail]);
  return { switchedOff: new Set(switchedOff), testMode: preferences.testMode };
}
