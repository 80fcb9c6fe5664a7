/** Switches an endpoint off: its messages wait no longer, and unless a person did it the admins get a mail, in one transaction. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ContactsStore } from '../contacts-store.ts';
import { switchedOffNotice } from '../domain/webhooks/switched-off-notice.ts';
import type { NotificationsStore } from '../notifications-store.ts';
import type { Change, Endpoint, EndpointsStore, OffBecause } from './endpoints-store.ts';
import type { MessagesStore } from './messages-store.ts';

export type SwitchOff = (
  endpoint: Endpoint,
  because: OffBecause,
  who: Pick<Change, 'at' | 'by'>,
) => Promise<void>;

export function switchingOff(o: {
  readonly mongo: Mongo;
  readonly endpoints: Pick<EndpointsStore, 'switchOff'>;
  readonly messages: Pick<MessagesStore, 'giveUp'>;
  readonly contacts: Pick<ContactsStore, 'find'>;
  readonly notifications: Pick<NotificationsStore, 'add'>;
  readonly portalUrl: string;
  readonly wakeMails: () => void;
}): SwitchOff {
  return async ({ id, organisationId, mode, url }, because, { at, by }) => {
    const { portalUrl } = o;
    await o.mongo.transaction(async (session) => {
      const change = { at, by, what: `switched off: ${because}` };
      if (!(await o.endpoints.switchOff(session, id, because, change))) return;
      await o.messages.giveUp(session, id);
      if (because === 'requested' || because === 'platform') return;
      // An organisation with an endpoint is known, because its people have signed in.
      const contact = await o.contacts.find(organisationId, session);
      if (contact === undefined) return;
      const endpoint = { endpointId: id, mode, host: new URL(url).host, because };
      await o.notifications.add(session, switchedOffNotice(endpoint, { contact, portalUrl, at }), at);
    });
    o.wakeMails();
  };
}
