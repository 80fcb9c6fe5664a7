/** `npm run bench:offers`: creations end to end, the intake of events, placements. See bench/README.md. */
import { demoMemberCount } from '@offer-ads/dev/demo-data/members';
import { type ReadOptions, readOptions } from '../command-line.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { type CreationPlan, measureCreations } from './creations.ts';
import { measureIntake } from './intake.ts';
import { measurePlacements, type PlacementsPlan } from './placements.ts';
import { prepareSettings } from './system.ts';

const parts = ['creations', 'intake', 'placements'] as const;
type Part = (typeof parts)[number];

const usage = `npm run bench:offers -- [--rounds 3] [--quick] [--parts creations,intake,...] [--write]
  --quick   one short round of everything: shows that it works, measures nothing
  --parts   of ${parts.join(', ')}
  --write   puts the tables into bench/README.md`;

await runMeasurement({
  usage,
  readOptions: (args) => readOptions(args, { rounds: 3, choice: ['parts', parts] }),
  run,
});

async function run(opened: AsyncDisposableStack, options: ReadOptions<Part>): Promise<void> {
  const stores = await openStores(opened, say);
  const settings = await prepareSettings(opened, stores);
  const when = circumstances();
  const measurePart = async (
    name: Part,
    measure: (own: AsyncDisposableStack) => Promise<{ report: string; isDurable?: boolean }>,
  ) => {
    if (!options.chosen.includes(name)) return;
    const own = opened.use(new AsyncDisposableStack());
    const { report, isDurable = true } = await measure(own);
    publish(name, `${when} ${report}`, options.write && isDurable);
    // Its processes end before the next part begins.
    await own.disposeAsync();
  };
  await measurePart('creations', (own) =>
    measureCreations(own, { stores, settings, plan: creationPlan(options), report: say }),
  );
  await measurePart('intake', async (own) => ({
    report: await measureIntake(own, { ...options, stores, settings, report: say }),
  }));
  await measurePart('placements', async (own) => ({
    report: await measurePlacements(own, placementsPlan(options), { settings, report: say }),
  }));
}

function creationPlan({ rounds, quick }: ReadOptions<Part>): CreationPlan {
  return quick
    ? {
        rounds,
        organisations: 4,
        members: 5_000,
        firstWarmUpSeconds: 0,
        warmUpSeconds: 0,
        saturatedSeconds: 0.5,
        aloneSeconds: 0.3,
      }
    : {
        rounds,
        organisations: 128,
        members: demoMemberCount,
        firstWarmUpSeconds: 12,
        warmUpSeconds: 4,
        saturatedSeconds: 12,
        aloneSeconds: 8,
      };
}

function placementsPlan({ rounds, quick }: ReadOptions<Part>): PlacementsPlan {
  return quick
    ? { rounds, offers: 1_000, asked: 100, seconds: 1, isQuick: true }
    : { rounds, offers: 100_000, asked: 10_000, seconds: 10, isQuick: false };
}
