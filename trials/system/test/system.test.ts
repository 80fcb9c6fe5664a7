/** One system for all suites: it takes a while to start, and an advertiser's organisation keeps the suites apart. */
import { afterAll, beforeAll } from '@jest/globals';
import { newOfferThatEndsSoon, type SoonOver } from '../../harness/advertiser.ts';
import { startTestSystem, type TestSystem } from '../../harness/test-system.ts';
import { type Collector, startCollector } from '../collector.ts';
import { describeCreation } from '../create-suite.ts';
import { describeEstimates } from '../estimate-suite.ts';
import { describeFaults } from '../faults-suite.ts';
import { describeGuides } from '../guides-suite.ts';
import { describeLifecycle } from '../lifecycle-suite.ts';
import { describeMetrics } from '../metrics-suite.ts';
import { describeModes } from '../modes-suite.ts';
import { describePortal } from '../portal-suite.ts';
import { bySdk, type Row } from '../sdk-advertiser.ts';
import { describeSdk } from '../sdk-suite.ts';
import { describeTraces } from '../trace-suite.ts';

let collector: Collector;
let started: TestSystem;
/** They end while the suites before run. */
let overInPortal: SoonOver;
let overInSdk: SoonOver;
beforeAll(async () => {
  collector = await startCollector();
  started = await startTestSystem({ env: collector.settings });
  [overInPortal, overInSdk] = await Promise.all([
    newOfferThatEndsSoon(started),
    newOfferThatEndsSoon(started),
  ]);
}, 300_000);
afterAll(async () => {
  await started?.[Symbol.asyncDispose]();
  await collector?.[Symbol.asyncDispose]();
}, 180_000);

describeEstimates(() => started);
describeCreation(() => started);
describeLifecycle(() => started);
describeModes(() => started);
describePortal(
  () => started,
  () => overInPortal,
);
describeTraces(
  () => started,
  () => collector,
);
describeMetrics(() => started);
describeGuides(() => started);
/** What calls by the SDK have met: it passes the same suites. */
const reached = new Set<Row>();
for (const describeSuite of [describeEstimates, describeCreation, describeLifecycle]) {
  describeSuite(() => started, bySdk(reached));
}
describeSdk(
  () => started,
  reached,
  () => overInSdk,
);
describeFaults(() => started);
