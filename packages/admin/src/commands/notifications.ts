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
const named = { notification: text.describe('ID') };

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
      email: text.describe('EMAIL').optional(),
      from: isoTime.optional(),
      limit: count.optional(),
    },
    run: async ({ state, org, email: recipient, from: since, limit }, { call }) => {
      const query = { state, organisationId: org, recipient, since, limit };
      return notificationsReply.parse(await call('notifier', 'GET /admin/notifications', { query }));
    },
  }),
  command({
    name: 'notification show',
    summary: 'Show the result of each attempt to send a mail, and who asked to send it again',
    options: named,
    operand: 'notification',
    run: async ({ notification }, { call }) =>
      historyFirst(await call('notifier', 'GET /admin/notifications/one', { query: { id: notification } })),
  }),
  command({
    name: 'notification resend',
    summary: 'Send a mail again now, with the same Message-ID, whatever is known of the address',
    options: named,
    operand: 'notification',
    run: async ({ notification }, { call }) =>
      historyFirst(
        await call('notifier', 'POST /admin/notifications/resend', { json: { id: notification } }),
      ),
  }),
  command({
    name: 'notification bounces',
    summary: 'List addresses that a mail server reported as not existing; mails to them are suppressed',
    options: { limit: count.optional() },
    run: async (query, { call }) =>
      bouncesReply.parse(await call('notifier', 'GET /admin/bounces', { query })),
  }),
  command({
    name: 'notification forget',
    summary: 'Remove an address from the bounce list, so that mails to it are sent again',
    options: { email: text.describe('EMAIL') },
    operand: 'email',
    run: ({ email: address }, { call }) =>
      call('notifier', 'POST /admin/bounces/forget', { json: { address } }),
  }),
];

/** The first property, if it is a list, is printed as a table. */
function historyFirst(reply: object): object {
  const { history, ...facts } = notificationReply.parse(reply);
  return { history, ...facts };
}
