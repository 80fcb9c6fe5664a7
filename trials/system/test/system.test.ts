/** One system for all suites, because its start takes long. Each suite has organisations of its own. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { auditAtRest } from '../../harness/audit.ts';
import { newOfferThatEndsSoon, type SoonOver } from '../../harness/soon-over.ts';
import { startTestSystem, type TestSystem } from '../../harness/test-system.ts';
import { describeAssistants } from '../assistants-suite.ts';
import { type Collector, startCollector } from '../collector.ts';
import { describeCommunityGuides } from '../community-guides-suite.ts';
import { describeCreation } from '../create-suite.ts';
import { describeDrills } from '../drills-suite.ts';
import { describeFaults } from '../faults-suite.ts';
import { describeGuides } from '../guides-suite.ts';
import { describeLifecycle } from '../lifecycle-suite.ts';
import { describeMetrics } from '../metrics-suite.ts';
import { describeModes } from '../modes-suite.ts';
import { describePortal } from '../portal-suite.ts';
import { describeRolling } from '../rolling-suite.ts';
import { describeSchemathesis } from '../schemathesis-suite.ts';
import { describePythonClient } from '../sdk-python-suite.ts';
import { describeSdk } from '../sdk-suite.ts';
import { describeSpending } from '../spending-suite.ts';
import { describeTraces } from '../trace-suite.ts';
import { describeWebhooks } from '../webhooks-suite.ts';

let collector: Collector;
let started: TestSystem;
/** It ends while other suites run. */
let soonOver: SoonOver;
beforeAll(async () => {
  collector = await startCollector();
  started = await startTestSystem({ env: collector.settings, replicas: { preStopMs: 1_000 } });
  soonOver = await newOfferThatEndsSoon(started);
}, 300_000);
afterAll(async () => {
  await started?.[Symbol.asyncDispose]();
  await collector?.[Symbol.asyncDispose]();
}, 180_000);

// First, because one of its examples lists all offers of the system.
describeCommunityGuides(() => started);
describeCreation(() => started);
describeLifecycle(() => started);
describeModes(() => started);
describePortal(
  () => started,
  () => soonOver,
);
describeTraces(
  () => started,
  () => collector,
);
describeMetrics(() => started);
describeGuides(() => started);
describeSdk(() => started);
describePythonClient(() => started);
describeAssistants(() => started);
describeSpending(() => started);
describeSchemathesis(() => started);
describeWebhooks(() => started);
describeRolling(() => started);
describeFaults(() => started);
describeDrills(() => started);

it('after all this nothing is parked, the ledger is sound, and offers and billing agree', async () => {
  expect(await auditAtRest(started)).toEqual([]);
});
