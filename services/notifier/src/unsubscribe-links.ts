/** Links that end one kind of mail for one person, for whoever holds the mail: signed, good for ever, and good for nothing else. */
import { optionalMail } from '@offer-ads/contracts/internal/notifier-api';
import { createSeal } from '@offer-ads/platform/config/secrets';
import type { OptionalMail } from './domain/preferences.ts';

export type Unsubscription = {
  readonly organisationId: number;
  readonly personId: number;
  readonly mail: OptionalMail;
};

export type UnsubscribeLinks = {
  readonly urlFor: (unsubscription: Unsubscription) => string;
  /** Undefined: it was never made here. */
  readonly read: (token: string) => Unsubscription | undefined;
};

/** What is signed says first what it is for, so that a signature for anything else is none for this. */
const purpose = 'unsubscribe/v1/';
/** 128 bits: nobody guesses one, and links stay short. */
const macBytes = 16;
const form = /^(\d{1,15})\.(\d{1,15})\.([a-zA-Z]{1,30})\.([\w-]{22})$/;

/** No expiry: a mail may be read years later, and the wish to end such mails is no less good then. */
export function unsubscribeLinks(o: { secret: string; portalUrl: string }): UnsubscribeLinks {
  const seal = createSeal(o.secret, { bytes: macBytes });
  return {
    urlFor: ({ organisationId, personId, mail }) => {
      const payload = `${organisationId}.${personId}.${mail}`;
      return `${o.portalUrl}/unsubscribe/${payload}.${seal.sign(`${purpose}${payload}`)}`;
    },
    read: (token) => {
      const [, organisationId = '', personId = '', kind = '', signature = ''] = form.exec(token) ?? [];
      const payload = `${purpose}${organisationId}.${personId}.${kind}`;
      if (!seal.isGenuine(payload, signature)) return undefined;
      const mail = optionalMail.safeParse(kind);
      if (!mail.success) return undefined;
      return { organisationId: Number(organisationId), personId: Number(personId), mail: mail.data };
    },
  };
}
