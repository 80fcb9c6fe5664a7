/** One system for all suites: it takes a while to start, and an advertiser's organisation keeps the suites apart. */
import { afterAll, beforeAll } from '@jest/globals';
import { describeCreation } from './create-suite.ts';
import { describeEstimates } from './estimate-suite.ts';
import { describeFaults } from './faults-suite.ts';
import { describeLifecycle } from './lifecycle-suite.ts';
import { describeMetrics } from './metrics-suite.ts';
import { describeModes } from './modes-suite.ts';
import { describePortal } from './portal-suite.ts';
import { type System, startSystem } from './system.ts';

let started: System;
beforeAll(async () => {
  started = await startSystem();
}, 180_000);
afterAll(async () => {
  await started?.[Symbol.asyncDispose]();
}, 60_000);

describeEstimates(() => started);
describeCreation(() => started);
describeLifecycle(() => started);
describeModes(() => started);
describePortal(() => started);
describeMetrics(() => started);
describeFaults(() => started);
