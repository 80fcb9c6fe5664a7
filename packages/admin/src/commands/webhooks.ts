/** Commands for webhooks of organisations. Secrets, paths of addresses and answers of receivers are never shown. */
import { webhookShown, webhooksListed } from '@offer-ads/contracts/admin/notifier-api';
import { type Command, command, id, text } from '../command.ts';

const named = { webhook: text.describe('ID') };

export const webhookCommands: readonly Command[] = [
  command({
    name: 'webhook list',
    summary: 'List the webhooks of an organisation in both modes',
    options: { org: id },
    run: async ({ org }, { call }) =>
      webhooksListed.parse(await call('notifier', 'GET /admin/webhooks', { query: { organisationId: org } })),
  }),
  command({
    name: 'webhook show',
    summary: 'Show the latest messages of a webhook, their results, and who changed it',
    options: named,
    operand: 'webhook',
    run: async ({ webhook }, { call }) =>
      messagesFirst(await call('notifier', 'GET /admin/webhooks/one', { query: { id: webhook } })),
  }),
  command({
    name: 'webhook disable',
    summary: 'Stop the messages of a webhook; its organisation cannot enable it',
    options: named,
    operand: 'webhook',
    run: async ({ webhook }, { call }) =>
      messagesFirst(await call('notifier', 'POST /admin/webhooks/disable', { json: { id: webhook } })),
  }),
  command({
    name: 'webhook enable',
    summary: 'Let a webhook get messages again, whoever disabled it',
    options: named,
    operand: 'webhook',
    run: async ({ webhook }, { call }) =>
      messagesFirst(await call('notifier', 'POST /admin/webhooks/enable', { json: { id: webhook } })),
  }),
];

/** The first property, if it is a list, is printed as a table. */
function messagesFirst(reply: object): object {
  const { messages, ...facts } = webhookShown.parse(reply);
  return { messages, ...facts };
}
