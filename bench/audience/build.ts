/** How long it takes until an index counts: from memory, from its own bytes, and when pricing starts from MongoDB or its snapshot. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AudienceIndex,
  loadAudienceIndex,
} from '../../services/pricing/src/audience-index/audience-index.ts';
import { watchForeignLoad } from '../machine-load.ts';
import type { Stores } from '../stores.ts';
import { timed } from './peers/peers.ts';
import { residentBytes, startPricingProcess } from './pricing-process.ts';

export type Build = {
  readonly fromColumnsSeconds: number;
  readonly saveSeconds: number;
  readonly loadSeconds: number;
  readonly fromMongoSeconds: number;
  readonly fromSnapshotSeconds: number;
  readonly snapshotBytes: number;
  readonly members: number;
  /** Of pricing's process, started from the snapshot. */
  readonly residentBytes: number;
  readonly foreignLoad: number;
};

export async function measureBuild(o: {
  stores: Stores;
  /** Has a snapshot afterwards. */
  snapshots: string;
  index: AudienceIndex;
  fromColumnsSeconds: number;
  mongoUrl: string;
  report: (line: string) => void;
}): Promise<Build> {
  const foreign = watchForeignLoad();
  const [saved, saveSeconds] = await timed(() => [...o.index.save()].map((chunk) => chunk.slice()));
  const [loaded, loadSeconds] = await timed(() => loadAudienceIndex(inTurn(saved)));
  if (loaded.size().members !== o.index.size().members)
    throw new Error('an index of other members was loaded');

  const { snapshots } = o;
  const { folder, backing } = o.stores;
  rmSync(snapshots, { recursive: true, force: true });
  mkdirSync(snapshots, { recursive: true });
  const start = (name: string) =>
    startPricingProcess({
      name,
      folder,
      env: { MONGO_URL: o.mongoUrl, RABBITMQ_URL: backing.rabbitmqUrl, AUDIENCE_SNAPSHOT_FOLDER: snapshots },
    });
  const fromMongo = await start('pricing-from-mongo');
  o.report(`pricing counts ${fromMongo.readySeconds.toFixed(1)} s after its start, from MongoDB`);
  // It writes its snapshot when it stops.
  await fromMongo[Symbol.asyncDispose]();
  const snapshotBytes = readdirSync(snapshots).reduce(
    (sum, name) => sum + statSync(join(snapshots, name)).size,
    0,
  );
  const fromSnapshot = await start('pricing-from-snapshot');
  o.report(`pricing counts ${fromSnapshot.readySeconds.toFixed(1)} s after its start, from its snapshot`);
  const { now } = residentBytes(fromSnapshot.pid);
  await fromSnapshot[Symbol.asyncDispose]();
  return {
    fromColumnsSeconds: o.fromColumnsSeconds,
    saveSeconds,
    loadSeconds,
    fromMongoSeconds: fromMongo.readySeconds,
    fromSnapshotSeconds: fromSnapshot.readySeconds,
    snapshotBytes,
    members: o.index.size().members,
    residentBytes: now,
    foreignLoad: foreign(),
  };
}

async function* inTurn(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
