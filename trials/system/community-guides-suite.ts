/** The guides for the community platform: what they publish, import and ask for works as they say, also the erasure of a member. */
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { MongoClient } from 'mongodb';
import { advertiser, newOrganisation, offerForm, unusedAddress } from '../harness/advertiser.ts';
import type { TestSystem } from '../harness/test-system.ts';
import { describeWithTools, guidesIn } from './guides-suite.ts';

const adminTool = fileURLToPath(new URL('../../packages/admin/src/main.ts', import.meta.url));
/** Of the examples. No other suite sells offers there. */
const glasgow = [55.8642, -4.2518] as const;
const [latitude, longitude] = glasgow;

export function describeCommunityGuides(system: () => TestSystem): void {
  const guides = guidesIn('guides-community', system);

  describeWithTools('the guides for the community platform', () => {
    /** Of the offer that the guides show. */
    let offerId: number;
    let advertiserKey: string;
    beforeAll(async () => {
      const organisation = await newOrganisation(system());
      advertiserKey = organisation.key;
      const form = await offerForm({
        advertised_name: 'The Corner Table',
        description: 'Bring a friend: the second main course is on the house.',
        terms_and_conditions: 'Not with other offers.',
        'location[]': glasgow.map(String),
      });
      const created = await advertiser(system(), organisation.key).create(form);
      expect(created.body.return_code).toBe('S1');
      offerId = created.body.offer_id;
    });

    const valuesOf = async (): Promise<Record<string, string>> => {
      const { gateway, placementKeys, rabbitmq } = system().state();
      const BASE_URL = gateway;
      const PLACEMENT_KEY = placementKeys.TEST;
      const { view_token } = await eventually(() => placementIn(BASE_URL, PLACEMENT_KEY));
      return {
        BASE_URL,
        PLACEMENT_KEY,
        VIEW_TOKEN: view_token,
        BROKER_URL: rabbitmq,
        OFFER_ID: `${offerId}`,
      };
    };

    it('are all listed in README.md', () => {
      expect(guides.pages.toSorted()).toEqual(guides.files.toSorted());
    });

    it.each(guides.pages)(
      '%s: each command runs and gets the reply that the guide shows',
      async (page) => {
        const differences = await guides.run(page, {
          values: await valuesOf(),
          programs: {},
          scripts: { admin: adminTool },
          settings: system().adminSettings(),
          python: null,
          paymentArrived: async () => {},
        });
        expect(differences).toEqual([]);
      },
      300_000,
    );

    it('count the view by token and the view and the click by message once each', async () => {
      const reader = advertiser(system(), advertiserKey);
      await eventually(async () => {
        const { body } = await reader.request('GET', `/offers/${offerId}/analytics?interval=24h`);
        expect(body).toMatchObject({ metrics: { views: 2, clicks: 1 } });
      });
    });

    it('erase a member: within a minute nothing is left but the id and the version', async () => {
      await using client = await MongoClient.connect(system().stores.mongo.pricing);
      const members = client.db().collection<{ _id: number; version: number }>('members');
      await eventually(async () => {
        expect(await members.findOne({ _id: 3 })).toMatchObject({ interests: [1, 2], gender: 'Female' });
        const erased = await members.findOne({ _id: 2 });
        expect(erased).toEqual({ _id: 2, version: erased?.version, removedAt: expect.any(Date) });
      });
      expect(await system().admin('member', 'check')).toMatchObject({ ok: true, differing: 0 });
    }, 120_000);
  });
}

async function placementIn(gateway: string, placementKey: string): Promise<{ view_token: string }> {
  const reply = await fetch(`${gateway}/placements`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': placementKey,
      'x-forwarded-for': unusedAddress(),
    },
    body: JSON.stringify({ latitude, longitude, gender: 'Female' }),
  });
  const { placements = [] } = (await reply.json()) as { placements?: { view_token: string }[] };
  const [placement] = placements;
  if (placement === undefined) throw new Error(`no offer is shown there: ${reply.status}`);
  return placement;
}
