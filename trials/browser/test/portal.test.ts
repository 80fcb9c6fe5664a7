/** One system and one browser for all walks: both take a while to start, and an organisation of its own keeps the walks apart. */
import { afterAll, beforeAll } from '@jest/globals';
import { describeConsole } from './console-suite.ts';
import { describeDocs } from './docs-suite.ts';
import { describeLive } from './live-suite.ts';
import { describeMishaps } from './mishaps-suite.ts';
import { describeOffers } from './offers-suite.ts';
import { describeOrganisation } from './organisation-suite.ts';
import { describeInBrowser, type Portal, startPortal } from './portal-under-test.ts';

describeInBrowser('the portal in a browser', () => {
  let started: Portal;
  beforeAll(async () => {
    started = await startPortal();
  }, 360_000);
  afterAll(async () => {
    await started?.[Symbol.asyncDispose]();
  }, 180_000);

  describeOrganisation(() => started);
  describeOffers(() => started);
  describeMishaps(() => started);
  describeLive(() => started);
  describeDocs(() => started);
  describeConsole(() => started);
});
