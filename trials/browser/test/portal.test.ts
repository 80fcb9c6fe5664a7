/**
 * All walks share one system and one browser, because both take long to start. Each walk has an organisation of its own, and several
 * run at once, because they mostly wait.
 */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { walksOfCommunity } from './community-suite.ts';
import { walksOfAccess } from './console-access-suite.ts';
import { walksOfDecisions } from './console-decisions-suite.ts';
import { walksOfStaff } from './console-suite.ts';
import { walksOfStaffWork } from './console-work-suite.ts';
import { walksOfGuides } from './docs-suite.ts';
import { walksOfLiveMode } from './live-suite.ts';
import { walksOfMishaps } from './mishaps-suite.ts';
import { walksOfNewOffers } from './new-offer-suite.ts';
import { walksOfOffers } from './offers-suite.ts';
import { publishTerms, walksOfOrganisations } from './organisation-suite.ts';
import { walksOfPlaces } from './places-suite.ts';
import { browserProgram, type Portal, startPortal } from './portal-under-test.ts';
import { walksOfWebhooks } from './webhooks-suite.ts';

// Its own `describe`: a worker loads other modules once for all test files.
(browserProgram === undefined ? describe.skip : describe)('people in a browser', () => {
  let started: Portal;
  beforeAll(async () => {
    started = await startPortal();
    await publishTerms(started.system);
  }, 360_000);
  afterAll(async () => {
    await started?.[Symbol.asyncDispose]();
  }, 180_000);

  const portal = () => started;
  walksOfMishaps(portal);
  walksOfNewOffers(portal);
  walksOfOffers(portal);
  walksOfPlaces(portal);
  walksOfCommunity(portal);
  walksOfLiveMode(portal);
  walksOfStaff(portal);
  walksOfStaffWork(portal);
  walksOfAccess(portal);
  walksOfDecisions(portal);
  walksOfOrganisations(portal);
  walksOfWebhooks(portal);
  walksOfGuides(portal);
});
