/** The mails to the admins of an organisation whose endpoint was switched off. */
import type { Notification } from '../announcement.ts';
import { adminsOf, type Contact, onePerMailbox } from '../contact.ts';
import { type SwitchedOff, webhookSwitchedOff } from '../letters/organisation-letters.ts';
import { render } from '../letters/render-letter.ts';
import { asAdmin, wordingFor } from '../letters/wording.ts';

export function switchedOffNotice(
  endpoint: SwitchedOff,
  o: { readonly contact: Contact; readonly portalUrl: string; readonly at: Date },
): readonly Notification[] {
  const { contact, portalUrl } = o;
  const happenedAt = o.at.toISOString();
  const setting = { ...wordingFor(contact.country), contact, portalUrl, happenedAt };
  const message = render({ reason: asAdmin(setting), ...webhookSwitchedOff(endpoint, setting) });
  return onePerMailbox(adminsOf(contact)).map(({ email: recipient }) => ({
    // It may be switched on, and fail, again.
    id: `webhook-switched-off/${endpoint.endpointId}/${happenedAt} to ${recipient.toLowerCase()}`,
    eventName: 'WebhookSwitchedOff',
    organisationId: contact.organisationId,
    recipient,
    message,
  }));
}
