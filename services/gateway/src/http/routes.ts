/** All routes of the gateway. */
import { join } from 'node:path';
import type { AuditLog } from '@offer-ads/platform/admin/audit';
import type { AdminGuard } from '@offer-ads/platform/admin/routes';
import type { FastPath } from '@offer-ads/platform/http/server';
import { builtFolder, readBuiltPage } from '@offer-ads/platform/pages/built-pages';
import type { Express } from 'express';
import type { GatewayConfig } from '../config.ts';
import { assistantPath } from '../public-api/assistants.ts';
import { type ClientIp, readClientIp } from '../public-api/client-ip.ts';
import { errorHelp } from '../public-api/error-help.ts';
import { answerUnknownEndpoints, type PublicApi, publicApi } from '../public-api/public-api.ts';
import { createToolCalls } from '../public-api/tool-calls.ts';
import type { ReadStatus } from '../status.ts';
import { cameInClear, pagesOverHttps } from './clear-text.ts';
import { consoleSignInRoute } from './console-sign-in-route.ts';
import { keyRoutes } from './key-routes.ts';
import { organisationRoutes } from './organisation-routes.ts';
import { contactPage } from './pages/contact-page.ts';
import { pages } from './pages/pages.ts';
import { peopleRoutes } from './people-routes.ts';
import { placementKeyRoutes } from './placement-key-routes.ts';
import { type PortalRoutes, portalRoutes } from './portal/portal-routes.ts';
import { statusRoutes } from './status-routes.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';

/** What this file makes of the settings. */
type MadeHere = 'audit' | 'clientIp' | 'isInClear' | 'toolCalls' | 'errorHelp' | 'publicUrl';

export type GatewayRoutes = Omit<PublicApi & PortalRoutes, MadeHere> &
  Parameters<typeof organisationRoutes>[0] &
  Parameters<typeof peopleRoutes>[0] &
  Parameters<typeof keyRoutes>[0] &
  Parameters<typeof placementKeyRoutes>[0] & {
    readonly config: GatewayConfig;
    readonly readStatus: ReadStatus;
  };

export function gatewayRoutes(o: GatewayRoutes) {
  const { PUBLIC_URL: publicUrl, IMAGE_ORIGIN: imageOrigin } = o.config;
  const toolCalls = createToolCalls();
  const ipBehindProxies = readClientIp(o.config.TRUSTED_PROXIES);
  const clientIp: ClientIp = (req) => toolCalls.callerOf(req) ?? ipBehindProxies(req);
  const isInClear = cameInClear(publicUrl);
  const help = errorHelp(readBuiltPage(join(builtFolder, 'docs/errors.html')));
  const routes = (app: Express, audit: AuditLog): void => {
    app.use(pagesOverHttps({ publicUrl, isInClear }));
    pages(app, { publicUrl, imageOrigin });
    statusRoutes(app, o.readStatus);
    contactPage(app, o.config);
    unsubscribeRoutes(app, { ...o, clientIp });
    app.use('/portal/api', portalRoutes({ ...o, audit, clientIp, publicUrl, errorHelp: help }));
    app.use(answerUnknownEndpoints({ ...o, clientIp }));
  };
  const adminRoutes = (app: Express, admin: AdminGuard): void => {
    app.use(
      '/admin',
      // The largest body is the text of terms: 100,000 characters of up to 12 bytes each when they are escaped.
      admin(2 * 1024 * 1024),
      consoleSignInRoute(),
      organisationRoutes(o),
      peopleRoutes(o),
      keyRoutes(o),
      placementKeyRoutes(o),
    );
    // For the console, which only reaches the admin port.
    statusRoutes(app, o.readStatus);
  };
  const toAssistants = assistantPath({ ...o, clientIp, isInClear, toolCalls, publicUrl });
  const toApi = publicApi({ ...o, clientIp, isInClear, toolCalls, errorHelp: help, publicUrl });
  const fastPath: FastPath = (req) => toAssistants(req) ?? toApi(req);
  return { fastPath, routes, adminRoutes };
}
