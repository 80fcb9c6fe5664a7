/** `/admin/webhooks`: endpoints of organisations for the platform team; `admin-notifier-api` defines the shapes. */
import {
  type WebhookShown,
  type WebhookSummary,
  webhookNamed,
  webhookSwitch,
  webhooksQuery,
} from '@offer-ads/contracts/admin/notifier-api';
import { type AdminGuard, actorOf } from '@offer-ads/platform/admin/routes';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Express, type Response } from 'express';
import type { Endpoint } from '../webhooks/endpoints-store.ts';
import type { ManageEndpoints } from '../webhooks/manage-endpoints.ts';
import type { Message } from '../webhooks/messages-store.ts';

const messagesShown = 20;

export function webhookAdminRoutes(
  app: Express,
  o: { readonly manage: ManageEndpoints; readonly admin: AdminGuard },
): void {
  const { manage } = o;
  const routes = express.Router();
  routes.use(o.admin(16 * 1024));

  async function answerWith(res: Response, id: string): Promise<void> {
    const endpoint = await manage.find(id);
    const messages = await manage.messages(id, { limit: messagesShown });
    if (!endpoint.ok || !messages.ok)
      return void res.status(404).json({ message: 'There is no such webhook' });
    res.json(shown(endpoint.value, messages.value));
  }

  routes.get('/', async (req, res) => {
    const endpoints = await manage.list(validInput(webhooksQuery, req.query));
    res.json({ webhooks: endpoints.map(summary) });
  });
  routes.get('/one', (req, res) => answerWith(res, validInput(webhookNamed, req.query).id));
  for (const [path, work] of [
    ['disable', manage.switchOff],
    ['enable', manage.switchOn],
  ] as const)
    routes.post(`/${path}`, async (req, res) => {
      const { id } = validInput(webhookSwitch, req.body);
      await work(id, { owner: undefined, by: actorOf(req) });
      await answerWith(res, id);
    });
  app.use('/admin/webhooks', routes);
}

function summary(endpoint: Endpoint): WebhookSummary {
  const { id, organisationId, mode, url, state, offBecause, failing, types, createdAt } = endpoint;
  return {
    id,
    organisationId,
    mode,
    host: new URL(url).host,
    status: state === 'on' ? 'enabled' : 'disabled',
    disabledReason: offBecause ?? null,
    failingSince: failing?.since.toISOString() ?? null,
    eventTypes: types === undefined ? null : [...types],
    createdAt: createdAt.toISOString(),
  };
}

function shown(endpoint: Endpoint, messages: readonly Message[]): WebhookShown {
  return {
    ...summary(endpoint),
    changes: endpoint.changes.map(({ at, by, what }) => ({ at: at.toISOString(), by, what })),
    messages: messages.map(({ id, type, state, createdAt, attempts }) => {
      const last = attempts.at(-1);
      return {
        id,
        type,
        status: state,
        createdAt: createdAt.toISOString(),
        attempts: attempts.length,
        lastAttemptAt: last?.at.toISOString() ?? null,
        result: last === undefined ? null : (last.problem ?? `${last.status}`),
      };
    }),
  };
}
