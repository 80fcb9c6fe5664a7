/** `npm run bench:offers`: creations end to end, the intake of events, placements. See bench/README.md. */
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { measureCreations } from './creations.ts';
import { measureIntake } from './intake.ts';
import { creationPlan, type Options, placementsPlan, readOptions, usage } from './options.ts';
import { measurePlacements } from './placements.ts';
import { prepareSettings } from './system.ts';

await runMeasurement({ usage, readOptions, run });

async function run(opened: AsyncDisposableStack, options: Options): Promise<void> {
  const stores = await openStores(opened, say);
  const settings = await prepareSettings(opened, stores);
  const when = circumstances();
  const measurePart = async (
    name: Options['chosen'][number],
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
