/** Which mails a person wants. Only what nobody must know can be switched off, so there is little to keep. */
import {
  type MailPreferences,
  type OptionalMail,
  optionalMail,
} from '@offer-ads/contracts/internal/notifier-api';

export type { MailPreferences, OptionalMail };

/** What a person has switched off; nothing known is nothing switched off. */
export type SwitchedOff = ReadonlySet<OptionalMail>;

/** As a person would say it: "mails about ended offers". */
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
