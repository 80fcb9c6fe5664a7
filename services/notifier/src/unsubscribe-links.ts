/** Unsubscribe links: each ends one kind of mail for one person. Signed, without expiry, and valid for nothing else. */
import { optionalMail } from '@offer-ads/contracts/internal/notifier-api';
import { createSeal } from '@offer-ads/platform/config/secrets';
import type { OptionalMail } from './domain/preferences.ts';

export type Unsubscription = {
  readonly organisationId: number;
  readonly personId: number;
  readonly mail: OptionalMail;
};

/** The signed text begins with its purpose, so that signatures for other purposes are not valid here. */
const purpose = 'unsubscribe/v1/';
/** 128 bits cannot be guessed, and links stay short. */
const macBytes = 16;
const form = /^(\d{1,15})\.(\d{1,15})\.([a-zA-Z]{1,30})\.([\w-]{22})$/;

/** No expiry: a mail may be read years later, and people must still be able to unsubscribe. */
export function unsubscribeLinks(o: { secret: string; portalUrl: string }) {
  const seal = createSeal(o.secret, { bytes: macBytes });
  return {
    urlFor: ({ organisationId, personId, mail }: Unsubscription) => {
      const payload = `${organisationId}.${personId}.${mail}`;
      return `${o.portalUrl}/unsubscribe/${payload}.${seal.sign(`${purpose}${payload}`)}`;
    },
    /** Undefined if this service did not create it. */
    read: (token: string): Unsubscription | undefined => {
      const [, organisationId = '', personId = '', kind = '', signature = ''] = form.exec(token) ?? [];
      const payload = `${purpose}${organisationId}.${personId}.${kind}`;
      if (!seal.isGenuine(payload, signature)) return undefined;
      const mail = optionalMail.safeParse(kind);
      if (!mail.success) return undefined;
      return { organisationId: Number(organisationId), personId: Number(personId), mail: mail.data };
    },
  };
}
