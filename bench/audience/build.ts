/** How long it takes until a grid counts: from memory, from an older grid, and when pricing starts from MongoDB; and the memory of that. */
import { startGridBuild } from '../../services/pricing/src/audience/build-grid.ts';
import { bytesOf, type Grid } from '../../services/pricing/src/audience/grid.ts';
import { watchForeignLoad } from '../machine-load.ts';
import type { Stores } from '../stores.ts';
import { timed } from './peers/peers.ts';
import { residentBytes, startPricingProcess } from './pricing-process.ts';

export type Build = {
  readonly fromColumnsSeconds: number;
  readonly fromOlderSeconds: number;
  readonly fromMongoSeconds: number;
  readonly bytesPerMember: number;
  /** Of pricing's process: once it counts, and at most while it read the members. */
  readonly residentBytes: { readonly now: number; readonly most: number };
  readonly foreignLoad: number;
};

export async function measureBuild(o: {
  stores: Stores;
  grid: Grid;
  fromColumnsSeconds: number;
  mongoUrl: string;
  report: (line: string) => void;
}): Promise<Build> {
  const foreign = watchForeignLoad();
  const [next, fromOlderSeconds] = await timed(() => startGridBuild(o.grid).finish());
  if (next.size !== o.grid.size) throw new Error('the next grid has other members');
  const { folder, backing } = o.stores;
  const env = { MONGO_URL: o.mongoUrl, RABBITMQ_URL: backing.rabbitmqUrl };
  await using pricing = await startPricingProcess({ name: 'pricing-from-mongo', folder, env });
  o.report(`pricing counts ${pricing.readySeconds.toFixed(1)} s after its start, from MongoDB`);
  return {
    fromColumnsSeconds: o.fromColumnsSeconds,
    fromOlderSeconds,
    fromMongoSeconds: pricing.readySeconds,
    bytesPerMember: bytesOf(o.grid) / o.grid.size,
    residentBytes: residentBytes(pricing.pid),
    foreignLoad: foreign(),
  };
}
