/** Links that end one kind of mail for one person, for whoever holds the mail: signed, good for ever, and good for nothing else. */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { optionalMail } from '@offer-ads/contracts/notifier-api';
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
  const key = createSecretKey(Buffer.from(o.secret));
  const mac = (payload: string) =>
    createHmac('sha256', key).update(`${purpose}${payload}`).digest().subarray(0, macBytes);
  return {
    urlFor: ({ organisationId, personId, mail }) => {
      const payload = `${organisationId}.${personId}.${mail}`;
      return `${o.portalUrl}/unsubscribe/${payload}.${mac(payload).toString('base64url')}`;
    },
    read: (token) => {
      const [, organisationId = '', personId = '', kind = '', signature = ''] = form.exec(token) ?? [];
      const given = Buffer.from(signature, 'base64url');
      const expected = mac(`${organisationId}.${personId}.${kind}`);
      if (given.length !== macBytes || !timingSafeEqual(given, expected)) return undefined;
      const mail = optionalMail.safeParse(kind);
      if (!mail.success) return undefined;
      return { organisationId: Number(organisationId), personId: Number(personId), mail: mail.data };
    },
  };
}
