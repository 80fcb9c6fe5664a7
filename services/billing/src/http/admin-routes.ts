/** Routes for the platform team's tool: balances, top-ups and the check of the ledger. */
import {
  adminStatementQuery,
  type BalanceStanding,
  balanceQuery,
  lowBalanceOrder,
  topUpRequest,
} from '@offer-ads/contracts/admin/billing-api';
import { requireAdmin } from '@offer-ads/platform/admin/routes';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Express } from 'express';
import { changeLowBalance, readLowBalance } from '../balance/low-balance.ts';
import { topUpBalance } from '../balance/top-up-balance.ts';
import type { Billing } from '../billing.ts';
import { balanceOf } from '../ledger/ledger-store.ts';
import { checkAndRecord } from '../ledger/watch-ledger.ts';
import { readStatement } from '../statement/read-statement.ts';
import { cardProblemRoutes } from './card-problem-routes.ts';
import { invoiceAdminRoutes } from './invoice-admin-routes.ts';
import { paymentRoutes } from './payment-routes.ts';

export function adminRoutes(app: Express, billing: Billing, adminTokenHashes: string): void {
  const routes = express.Router();
  routes.use(
    requireAdmin({ tokenHashes: adminTokenHashes, logger: billing.logger }),
    express.json({ limit: '16kb' }),
  );

  routes.get('/balances', async (req, res) => {
    const book = validInput(balanceQuery, req.query);
    const balanceMinor = `${await balanceOf(billing.postgres, book)}`;
    res.json({ ...book, balanceMinor } satisfies BalanceStanding);
  });

  routes.post('/balances/top-up', async (req, res) => {
    const { amountMinor, reference, ...book } = validInput(topUpRequest, req.body);
    const result = await topUpBalance(
      billing.postgres,
      { book, amountMinor, reference },
      billing.clock.now(),
      requestFacts(req).deadline(),
    );
    if (!result.ok) return void res.status(409).json({ message: 'The reference stands for another top-up' });
    res.json({ ...book, balanceMinor: `${result.balanceMinor}` } satisfies BalanceStanding);
  });

  routes.get('/balances/statement', async (req, res) => {
    const { organisationId, mode, currency, ...query } = validInput(adminStatementQuery, req.query);
    res.json(await readStatement(billing.postgres, { organisationId, mode, currency }, query));
  });

  routes
    .route('/balances/threshold')
    .get(async (req, res) => {
      res.json(await readLowBalance(billing.postgres, validInput(balanceQuery, req.query)));
    })
    .put(async (req, res) => {
      const { thresholdMinor, ...book } = validInput(lowBalanceOrder, req.body);
      const deadline = requestFacts(req).deadline();
      res.json(await changeLowBalance(billing.postgres, book, thresholdMinor, deadline));
    });

  routes.get('/ledger/check', async (_req, res) => {
    res.json(await checkAndRecord(billing));
  });

  invoiceAdminRoutes(routes, billing);
  cardProblemRoutes(routes, billing);
  paymentRoutes(routes, billing);
  app.use('/admin', routes);
}
