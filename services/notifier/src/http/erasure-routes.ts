/** `/admin/people`: the erasure of a person, for the platform team; `admin-notifier-api` defines the shapes. */
import { type MailboxErasureReply, mailboxErasure } from '@offer-ads/contracts/admin/notifier-api';
import { requireAdmin } from '@offer-ads/platform/admin/routes';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import express, { type Express } from 'express';
import type { ErasureStore } from '../erasure-store.ts';

export function erasureRoutes(
  app: Express,
  o: { readonly erasure: ErasureStore; readonly adminTokenHashes: string; readonly logger: Logger },
): void {
  const routes = express.Router();
  routes.use(
    requireAdmin({ tokenHashes: o.adminTokenHashes, logger: o.logger }),
    // Ten thousand ids.
    express.json({ limit: '256kb' }),
  );
  routes.post('/erase', async (req, res) => {
    const { dryRun, ...mailbox } = validInput(mailboxErasure, req.body);
    const erased = await (dryRun ? o.erasure.count(mailbox) : o.erasure.erase(mailbox));
    res.json(erased satisfies MailboxErasureReply);
  });
  app.use('/admin/people', routes);
}
