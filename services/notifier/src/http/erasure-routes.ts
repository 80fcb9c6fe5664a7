/** `/admin/people`: the erasure of a person, for the platform team; `admin-notifier-api` defines the shapes. */
import { type MailboxErasureReply, mailboxErasure } from '@offer-ads/contracts/admin/notifier-api';
import type { AdminGuard } from '@offer-ads/platform/admin/routes';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Express } from 'express';
import type { ErasureStore } from '../erasure-store.ts';

export function erasureRoutes(
  app: Express,
  o: { readonly erasure: ErasureStore; readonly admin: AdminGuard },
): void {
  const routes = express.Router();
  // Ten thousand ids.
  routes.use(o.admin(256 * 1024));
  routes.post('/erase', async (req, res) => {
    const erased = await o.erasure.erase(validInput(mailboxErasure, req.body));
    res.json(erased satisfies MailboxErasureReply);
  });
  app.use('/admin/people', routes);
}
