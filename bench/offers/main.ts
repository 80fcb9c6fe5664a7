/** `npm run bench:offers`: creations end to end, the listing of a large organisation, the intake of events. See bench/README.md. */
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { measureCreations } from './creations.ts';
import { creationsReport } from './creations-report.ts';
import { measureIntake } from './intake/measure.ts';
import { intakeReport } from './intake/report.ts';
import { measureListing } from './listing/listing.ts';
import { listingReport } from './listing/listing-report.ts';
import { measureOneBalance } from './one-balance.ts';
import { oneBalanceReport } from './one-balance-report.ts';
import {
  creationPlan,
  listingPlan,
  type Options,
  oneBalanceCreations,
  readOptions,
  usage,
} from './options.ts';
import { prepareSettings } from './system.ts';

await runMeasurement({ usage, readOptions, run });

async function run(opened: AsyncDisposableStack, options: Options): Promise<void> {
  const stores = await openStores(opened, say);
  const settings = await prepareSettings(opened, stores);
  const when = circumstances();
  if (options.chosen.includes('creations')) {
    const system = opened.use(new AsyncDisposableStack());
    const creations = await measureCreations(system, {
      stores,
      settings,
      plan: creationPlan(options),
      report: say,
    });
    publish(
      'creations',
      `${when} ${creationsReport(creations)}`,
      options.write && creations.durability !== null,
    );
    // Its processes end before the next part begins.
    await system.disposeAsync();
  }
  if (options.chosen.includes('one-balance')) {
    const system = opened.use(new AsyncDisposableStack());
    const creations = oneBalanceCreations(options);
    const samples = await measureOneBalance(system, { settings, creations, report: say });
    publish('one-balance', `${when} ${oneBalanceReport(samples)}`, options.write);
    await system.disposeAsync();
  }
  if (options.chosen.includes('listing')) {
    const service = opened.use(new AsyncDisposableStack());
    const listing = await measureListing(service, {
      stores,
      settings,
      plan: listingPlan(options),
      report: say,
    });
    publish('listing', `${when} ${listingReport(listing)}`, options.write);
    await service.disposeAsync();
  }
  if (options.chosen.includes('intake')) {
    const intake = await measureIntake(opened, { ...options, stores, report: say });
    publish('intake', `${when} ${intakeReport(intake)}`, options.write);
  }
}
