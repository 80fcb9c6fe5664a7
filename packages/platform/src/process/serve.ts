/** What services have in common beside their stores: the broker with all events, and the HTTP server with the admin routes that each has. */
import { allEvents } from '@offer-ads/contracts/events/events';
import type { Express } from 'express';
import { type AuditLog, type AuditStore, mountAuditRoute, startAuditLog } from '../admin/audit.ts';
import { mountParkedRoutes } from '../admin/parked-routes.ts';
import { mountRepublishRoute } from '../admin/republish-route.ts';
import { type AdminGuard, adminGuard } from '../admin/routes.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../http/server.ts';
import { type Broker, connectBroker } from '../messaging/broker/broker.ts';
import type { BrokerUser } from '../messaging/broker/topology.ts';
import { postgresAudit } from '../postgres/audit-store.ts';
import type { Postgres } from '../postgres/postgres.ts';
import type { Foundation } from './foundation.ts';

export function connectServiceBroker(
  o: Foundation & { readonly service: BrokerUser; readonly url: string },
): Promise<Broker> {
  return connectBroker({ ...o, declarations: allEvents, namespace: o.brokerNamespace });
}

type Served = Foundation &
  Omit<HttpServerOptions, 'host' | 'port' | 'admin' | 'routes' | 'publicUrl'> & {
    /** The settings that `httpSettings` and `adminSettings` have. */
    readonly config: {
      readonly PUBLIC_URL?: string;
      readonly HOST: string;
      readonly PORT: number;
      readonly ADMIN_PORT: number;
      readonly ADMIN_TOKEN_HASHES: string;
      readonly AUDIT_RETENTION_DAYS: number;
    };
    /** Postgres has the audit log, and the events of the service: staff publish them again. */
    readonly store: Postgres | AuditStore;
    /** Of a service that consumes events: staff see its parked messages. */
    readonly broker?: Broker;
    readonly routes: (app: Express, audit: AuditLog) => void;
    readonly adminRoutes: (app: Express, admin: AdminGuard) => void;
  };

/** The server stops first of all that is `started`, and then the audit log. */
export async function serve(
  started: AsyncDisposableStack,
  { config, store, broker, routes, adminRoutes, ...o }: Served,
): Promise<HttpServer> {
  const retentionDays = config.AUDIT_RETENTION_DAYS;
  const postgres = 'pool' in store ? store : undefined;
  const auditStore = 'pool' in store ? postgresAudit(store) : store;
  const audit = started.use(startAuditLog({ store: auditStore, retentionDays, ...o }));
  const admin = adminGuard({ tokenHashes: config.ADMIN_TOKEN_HASHES, audit, ...o });
  const allAdminRoutes = (app: Express): void => {
    mountAuditRoute(app, { admin, audit });
    if (broker !== undefined) mountParkedRoutes(app, { broker, admin });
    if (broker !== undefined && postgres !== undefined) mountRepublishRoute(app, { postgres, broker, admin });
    adminRoutes(app, admin);
  };
  return started.use(
    await startHttpServer({
      ...o,
      publicUrl: config.PUBLIC_URL,
      host: config.HOST,
      port: config.PORT,
      routes: (app) => routes(app, audit),
      admin: { port: config.ADMIN_PORT, routes: allAdminRoutes },
    }),
  );
}
