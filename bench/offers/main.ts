/** `npm run bench:offers`: creations end to end, the listing of a large organisation, the intake of events, payments beside waiting views, placements. See bench/README.md. */
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { measureCreations } from './creations.ts';
import { creationsReport } from './creations-report.ts';
import { measureIntake } from './intake/measure.ts';
import { measurePayments } from './intake/payments.ts';
import { paymentsReport } from './intake/payments-report.ts';
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
  placementsPlan,
  readOptions,
  usage,
  waitingViews,
} from './options.ts';
import { measurePlacementsEndpoint } from './placements/endpoint.ts';
import { measurePlacements } from './placements/measure.ts';
import { placementsEndpointReport, placementsReport } from './placements/report.ts';
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
  await measurePart('one-balance', async (own) => {
    const creations = oneBalanceCreations(options);
    return { report: oneBalanceReport(await measureOneBalance(own, { settings, creations, report: say })) };
  });
  await measurePart('listing', async (own) => {
    const plan = listingPlan(options);
    return { report: listingReport(await measureListing(own, { stores, settings, plan, report: say })) };
  });
  await measurePart('intake', async (own) => ({
    report: intakeReport(await measureIntake(own, { ...options, stores, report: say })),
  }));
  await measurePart('payments', async (own) => {
    const views = waitingViews(options);
    return { report: paymentsReport(await measurePayments(own, { stores, views, report: say })) };
  });
  await measurePart('placements', async (own) => {
    const plan = placementsPlan(options);
    return { report: placementsReport(await measurePlacements(own, { ...plan, report: say })) };
  });
  await measurePart('placements-endpoint', async (own) => {
    const plan = placementsPlan(options);
    const measured = await measurePlacementsEndpoint(own, { ...plan, settings, report: say });
    return { report: placementsEndpointReport(measured) };
  });
}
