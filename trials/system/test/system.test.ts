/** One system for all suites: it takes a while to start, and an advertiser's organisation keeps the suites apart. */
import { afterAll, beforeAll } from '@jest/globals';
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
import { type System, startSystem } from '../system.ts';
import { describeTraces } from '../trace-suite.ts';

let collector: Collector;
let started: System;
beforeAll(async () => {
  collector = await startCollector();
  started = await startSystem({ settings: collector.settings });
}, 300_000);
afterAll(async () => {
  await started?.[Symbol.asyncDispose]();
  await collector?.[Symbol.asyncDispose]();
}, 180_000);

describeEstimates(() => started);
describeCreation(() => started);
describeLifecycle(() => started);
describeModes(() => started);
describePortal(() => started);
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
describeSdk(() => started, reached);
describeFaults(() => started);
