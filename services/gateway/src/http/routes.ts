/** All routes of the gateway. */
import { join } from 'node:path';

import { type AuditLog, mountAuditRoute } from '@offer-ads/platform/admin/audit';
import { mountParkedRoutes } from '@offer-ads/platform/admin/parked-routes';
import { mountRepublishRoute } from '@offer-ads/platform/admin/republish-route';
import type { AdminGuard } from '@offer-ads/platform/admin/routes';
import type { HttpServerOptions } from '@offer-ads/platform/http/server';
import type { Broker } from '@offer-ads/platform/messaging/broker/broker';
import { builtFolder, readBuiltPage } from '@offer-ads/platform/pages/built-pages';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Express } from 'express';
import type { Erasure } from '../accounts/erase-person.ts';
import type { ManagedNotes } from '../accounts/manage-notes.ts';
import type { Organisations } from '../accounts/manage-organisations.ts';
import type { People } from '../accounts/manage-people.ts';
import type { ManagedPlaces } from '../accounts/manage-saved-places.ts';
import type { ManagedTerms } from '../accounts/manage-terms.ts';
import type { ReadCalls } from '../call-log/call-log-reader.ts';
import type { GatewayConfig } from '../config.ts';
import type { Keys } from '../keys/manage-keys.ts';
import type { ManagedPlacementKeys } from '../keys/manage-placement-keys.ts';
import { assistantPath } from '../public-api/assistants.ts';
import { type ClientIp, readClientIp } from '../public-api/client-ip.ts';
import { errorHelp } from '../public-api/error-help.ts';
import { answerUnknownEndpoints, type PublicApi, publicApi } from '../public-api/public-api.ts';
import { createToolCalls } from '../public-api/tool-calls.ts';
import type { Sessions } from '../sign-in/sessions.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { SignUp } from '../sign-up/sign-up.ts';
import type { ReadStatus } from '../status.ts';
import { cameInClear, pagesOverHttps } from './clear-text.ts';
import { consoleSignInRoute } from './console-sign-in-route.ts';
import { keyRoutes } from './key-routes.ts';
import { organisationRoutes } from './organisation-routes.ts';
import { contactPage } from './pages/contact-page.ts';
import { pages } from './pages/pages.ts';
import { peopleRoutes } from './people-routes.ts';
import { placementKeyRoutes } from './placement-key-routes.ts';
import type { Forwarding } from './portal/forwarded-routes.ts';
import { portalRoutes } from './portal/portal-routes.ts';
import { statusRoutes } from './status-routes.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';

export type GatewayRoutes = Omit<
  PublicApi,
  'clientIp' | 'isInClear' | 'toolCalls' | 'errorHelp' | 'publicUrl'
> & {
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly admin: AdminGuard;
  readonly audit: AuditLog;
  readonly broker: Pick<Broker, 'types' | 'parked'>;
  readonly postgres: Postgres;
  readonly organisations: Organisations;
  readonly people: People;
  readonly erasure: Erasure;
  readonly savedPlaces: ManagedPlaces;
  readonly notes: ManagedNotes;
  readonly terms: ManagedTerms;
  readonly keys: Keys;
  readonly placementKeyring: ManagedPlacementKeys;
  readonly findCaller: Forwarding['findCaller'];
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly signUp: SignUp;
  readonly readCalls: ReadCalls;
  readonly readStatus: ReadStatus;
};

export function gatewayRoutes(o: GatewayRoutes): Pick<HttpServerOptions, 'fastPath' | 'routes' | 'admin'> {
  const { PUBLIC_URL: publicUrl, IMAGE_ORIGIN: imageOrigin } = o.config;
  const toolCalls = createToolCalls();
  const ipBehindProxies = readClientIp(o.config.TRUSTED_PROXIES);
  const clientIp: ClientIp = (req) => toolCalls.callerOf(req) ?? ipBehindProxies(req);
  const isInClear = cameInClear(publicUrl);
  const help = errorHelp(readBuiltPage(join(builtFolder, 'docs/errors.html')));
  const routes = (app: Express): void => {
    app.use(pagesOverHttps({ publicUrl, isInClear }));
    pages(app, { publicUrl, imageOrigin });
    statusRoutes(app, o.readStatus);
    contactPage(app, o.config);
    unsubscribeRoutes(app, { ...o, clientIp });
    app.use('/portal/api', portalRoutes({ ...o, clientIp, publicUrl, errorHelp: help }));
    app.use(answerUnknownEndpoints({ ...o, clientIp }));
  };
  const adminRoutes = (app: Express): void => {
    mountAuditRoute(app, o);
    mountParkedRoutes(app, o);
    mountRepublishRoute(app, o);
    app.use(
      '/admin',
      // The largest body is the text of terms: 100,000 characters of up to 12 bytes each when they are escaped.
      o.admin(2 * 1024 * 1024),
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
  return {
    fastPath: (req) => toAssistants(req) ?? toApi(req),
    routes,
    admin: { port: o.config.ADMIN_PORT, routes: adminRoutes },
  };
}
