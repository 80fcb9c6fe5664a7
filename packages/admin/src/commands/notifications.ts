/** Commands for mails: their state, and sending one again. The text of a mail is never shown, because it contains sign-in links. */
import {
  bouncesReply,
  notificationReply,
  notificationState,
  notificationsReply,
} from '@offer-ads/contracts/admin/notifier-api';
import { z } from 'zod';
import { type Command, command, count, id, isoTime, text } from '../command.ts';

const states = notificationState.options;
const named = { id: text.describe('ID') };

export const notificationCommands: readonly Command[] = [
  command({
    name: 'notification list',
    summary: 'List mails, the latest first; by default 100',
    options: {
      state: z
        .enum(states, `must be one of ${states.join(', ')}`)
        .describe(states.join('|'))
        .optional(),
      org: id.optional(),
      to: text.optional(),
      since: isoTime.optional(),
      limit: count.optional(),
    },
    run: async ({ state, org, to, since, limit }, { call }) => {
      const given = { state, organisationId: org, recipient: to, since, limit };
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(given)) {
        if (value !== undefined) query.set(name, `${value}`);
      }
      const path = `/admin/notifications${query.size === 0 ? '' : `?${query.toString()}`}`;
      return notificationsReply.parse(await call('notifier', { method: 'GET', path }));
    },
  }),
  command({
    name: 'notification show',
    summary: 'Show the result of each attempt to send a mail, and who asked to send it again',
    options: named,
    operand: 'id',
    run: async ({ id: name }, { call }) => {
      const path = `/admin/notifications/one?id=${encodeURIComponent(name)}`;
      return historyFirst(notificationReply.parse(await call('notifier', { method: 'GET', path })));
    },
  }),
  command({
    name: 'notification resend',
    summary: 'Send a mail again now, with the same Message-ID, whatever is known of the address',
    options: named,
    operand: 'id',
    run: async (json, { call }) => {
      const path = '/admin/notifications/resend';
      return historyFirst(notificationReply.parse(await call('notifier', { method: 'POST', path, json })));
    },
  }),
  command({
    name: 'notification bounces',
    summary: 'List addresses that a mail server reported as not existing; mails to them are suppressed',
    options: { limit: count.optional() },
    run: async ({ limit }, { call }) => {
      const path = `/admin/bounces${limit === undefined ? '' : `?limit=${limit}`}`;
      return bouncesReply.parse(await call('notifier', { method: 'GET', path }));
    },
  }),
  command({
    name: 'notification forget',
    summary: 'Remove an address from the bounce list, so that mails to it are sent again',
    options: { address: text.describe('ADDRESS') },
    operand: 'address',
    run: async (json, { call }) => call('notifier', { method: 'POST', path: '/admin/bounces/forget', json }),
  }),
];

/** The first property, if it is a list, is printed as a table. */
function historyFirst({ history, ...facts }: z.infer<typeof notificationReply>): object {
  return { history, ...facts };
}
