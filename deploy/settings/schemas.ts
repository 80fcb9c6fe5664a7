/** The settings of everything that docker-compose.yml and k8s/ start from our own images: their schemas and readers. */

import { adminToolSettings, readAdminSettings } from '@offer-ads/admin/config';
import { consoleSettings, readConsoleConfig } from '@offer-ads/admin/console/config';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { factsOf } from '@offer-ads/platform/config/setting-facts';
import type { z } from 'zod';
import { billingSettings, readBillingConfig } from '../../services/billing/src/config.ts';
import { gatewaySettings, readGatewayConfig } from '../../services/gateway/src/config.ts';
import { moderationSettings, readModerationConfig } from '../../services/moderation/src/config.ts';
import { notifierSettings, readNotifierConfig } from '../../services/notifier/src/config.ts';
import { offersSettings, readOffersConfig } from '../../services/offers/src/config.ts';
import { pricingSettings, readPricingConfig } from '../../services/pricing/src/config.ts';

export const programs = [...serviceNames, 'admin', 'console'] as const;
export type Program = ServiceName | 'admin' | 'console';

export const schemas: Readonly<Record<Program, z.ZodObject>> = {
  gateway: gatewaySettings,
  offers: offersSettings,
  billing: billingSettings,
  pricing: pricingSettings,
  moderation: moderationSettings,
  notifier: notifierSettings,
  admin: adminToolSettings,
  console: consoleSettings,
};

export const readers: Readonly<Record<Program, (env: NodeJS.ProcessEnv) => unknown>> = {
  gateway: readGatewayConfig,
  offers: readOffersConfig,
  billing: readBillingConfig,
  pricing: readPricingConfig,
  moderation: readModerationConfig,
  notifier: readNotifierConfig,
  // Not those of a system that happens to run here.
  admin: (env) => readAdminSettings({ DEV_FOLDER: '/nowhere', ...env }),
  console: readConsoleConfig,
};

export function settingNames(program: Program): string[] {
  return Object.keys(schemas[program].shape);
}

export function isSecretOf(program: Program, name: string): boolean {
  return factsOf(schemas[program].shape[name]).secret === true;
}
