/** Switches an endpoint off: its messages wait no longer, and the admins are told, in one transaction. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { ContactsStore } from '../contacts-store.ts';
import { switchedOffNotice } from '../domain/webhooks/switched-off-notice.ts';
import type { NotificationsStore } from '../notifications-store.ts';
import type { Endpoint, EndpointsStore } from './endpoints-store.ts';
import type { MessagesStore } from './messages-store.ts';

export type SwitchOff = (endpoint: Endpoint, because: 'failing' | 'gone') => Promise<void>;

export function switchingOff(o: {
  readonly mongo: Mongo;
  readonly endpoints: Pick<EndpointsStore, 'switchOff'>;
  readonly messages: Pick<MessagesStore, 'giveUp'>;
  readonly contacts: Pick<ContactsStore, 'find'>;
  readonly notifications: Pick<NotificationsStore, 'add'>;
  readonly portalUrl: string;
  readonly clock: Clock;
  readonly wakeMails: () => void;
}): SwitchOff {
  return async ({ id, organisationId, mode, url }, because) => {
    const at = o.clock.now();
    const { host } = new URL(url);
    await o.mongo.transaction(async (session) => {
      const change = { at, by: 'system', what: `switched off: ${because}` };
      if (!(await o.endpoints.switchOff(session, id, because, change))) return;
      await o.messages.giveUp(session, id);
      // An organisation with an endpoint is known, because its people have signed in.
      const contact = await o.contacts.find(organisationId, session);
      if (contact === undefined) return;
      const { portalUrl } = o;
      const mails = switchedOffNotice({ endpointId: id, mode, host, because }, { contact, portalUrl, at });
      await o.notifications.add(session, mails, at);
    });
    o.wakeMails();
  };
}
