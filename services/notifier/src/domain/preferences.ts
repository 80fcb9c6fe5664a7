/** The mails that a person wants. Only optional mails can be switched off, so there is little to store. */
import {
  type MailPreferences,
  type OptionalMail,
  optionalMail,
} from '@offer-ads/contracts/internal/notifier-api';

export type { MailPreferences, OptionalMail };

/** The mails that a person has switched off; empty if nothing is stored. */
export type SwitchedOff = ReadonlySet<OptionalMail>;

/** Completes "mails about": "mails about ended offers". */
export const mailSubjects = {
  offerEnded: 'ended offers',
  balanceLow: 'a low balance',
} as const satisfies Record<OptionalMail, string>;

export function preferencesOf(switchedOff: SwitchedOff): MailPreferences {
  return { offerEnded: !switchedOff.has('offerEnded'), balanceLow: !switchedOff.has('balanceLow') };
}

export function switchedOffIn(preferences: MailPreferences): readonly OptionalMail[] {
  return optionalMail.options.filter((mail) => !preferences[mail]);
}
