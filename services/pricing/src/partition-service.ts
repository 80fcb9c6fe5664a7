/** Composition root of a process that only counts one partition of the members, for the other processes of pricing (ADR 31). */
import { adminGuard } from '@offer-ads/platform/admin/routes';
import { startHttpServer } from '@offer-ads/platform/http/server';
import type { Foundation } from '@offer-ads/platform/process/foundation';
import type { RunningService } from '@offer-ads/platform/process/process';
import { openPartition } from './audience/open-audience.ts';
import type { PricingConfig } from './config.ts';
import type { Partition } from './domain/members/partition.ts';
import { mountMembersCheck } from './http/admin-routes.ts';
import { partitionFastPath } from './http/partition-fast-path.ts';

/** It has no route for prices, which would be too low. It uses neither RabbitMQ nor rates. */
export async function startPartition(
  config: PricingConfig,
  partition: Partition,
  { foundation, onComplete }: { foundation: Foundation; onComplete: (() => void) | undefined },
): Promise<RunningService & { readonly url: string }> {
  await using opened = new AsyncDisposableStack();
  const audience = opened.use(
    await openPartition({
      partition,
      mongoUrl: config.MONGO_URL,
      snapshotFolder: config.AUDIENCE_SNAPSHOT_FOLDER,
      positionDecimals: config.AUDIENCE_POSITION_DECIMALS,
      onComplete,
      ...foundation,
    }),
  );
  const server = opened.use(
    await startHttpServer({
      host: config.HOST,
      port: config.PORT,
      ...foundation,
      readiness: audience.waitsFor,
      fastPath: partitionFastPath({
        partition,
        audience,
        secret: config.PRICING_CONTEXT_SECRET,
        clock: foundation.clock,
      }),
      routes: (app) =>
        mountMembersCheck(app, {
          // Its only admin route compares, and changes nothing.
          admin: adminGuard({ tokenHashes: config.ADMIN_TOKEN_HASHES, audit: null, ...foundation }),
          audience,
        }),
    }),
  );
  const running = opened.move();
  return { url: server.url, drain: server.drain, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
