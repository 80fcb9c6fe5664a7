/** `npm run bench:offers`: creations end to end, the listing of a large organisation, the intake of events, placements. See bench/README.md. */
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { measureCreations } from './creations.ts';
import { creationsReport } from './creations-report.ts';
import { measureIntake } from './intake/measure.ts';
import { intakeReport } from './intake/report.ts';
import { measureListing } from './listing/listing.ts';
import { listingReport } from './listing/listing-report.ts';
import { creationPlan, listingPlan, type Options, placementsPlan, readOptions, usage } from './options.ts';
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
  await measurePart('creations', async (own) => {
    const plan = creationPlan(options);
    const creations = await measureCreations(own, { stores, settings, plan, report: say });
    return { report: creationsReport(creations), isDurable: creations.durability !== null };
  });
  await measurePart('listing', async (own) => {
    const plan = listingPlan(options);
    return { report: listingReport(await measureListing(own, { stores, settings, plan, report: say })) };
  });
  await measurePart('intake', async (own) => ({
    report: intakeReport(await measureIntake(own, { ...options, stores, report: say })),
  }));
  await measurePart('placements', async (own) => ({
    report: await measurePlacements(own, placementsPlan(options), { settings, report: say }),
  }));
}
