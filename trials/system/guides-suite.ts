/** The guides for advertisers: every example runs against the whole system, and the replies are those of the guides. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { onPath } from '@offer-ads/backing/on-path';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { runGuide } from '../guides/run-guide.ts';
import { advertiser, newOrganisation, type Organisation, unusedAddress } from '../harness/advertiser.ts';
import type { TestSystem } from '../harness/test-system.ts';

const guides = fileURLToPath(new URL('../../docs/guides', import.meta.url));
const commandLine = fileURLToPath(new URL('../../packages/sdk/src/cli/main.ts', import.meta.url));
/** In the order in which people read them: the organisation of the first guide has no offers yet. */
const pages = [
  ...readFileSync(join(guides, 'README.md'), 'utf8').matchAll(/^\d+\. \[[^\]]+\]\(([\w-]+\.md)\)/gm),
].map(([, file = '']) => file);

export function describeGuides(system: () => TestSystem): void {
  const tools = ['bash', 'curl'].filter((tool) => onPath(tool) === undefined);
  if (tools.length > 0) console.warn(`${tools.join(' and ')} not found: the guides' commands are not run`);

  (tools.length > 0 ? describe.skip : describe)('the guides', () => {
    let organisation: Organisation;
    beforeAll(async () => {
      organisation = await newOrganisation(system());
    });

    it('are all listed in README.md', () => {
      const files = readdirSync(guides).filter((file) => file.endsWith('.md') && file !== 'README.md');
      expect(pages.toSorted()).toEqual(files.toSorted());
    });

    it.each(pages)(
      '%s: each command runs and gets the reply that the guide shows',
      async (page) => {
        const folder = join(system().folder, 'guides', page);
        const { state } = system();
        const reader = advertiser(system(), organisation.key);
        const differences = await runGuide(readFileSync(join(guides, page), 'utf8'), {
          folder,
          clientIp: unusedAddress(),
          values: { BASE_URL: state().gateway, API_KEY: organisation.key },
          programs: { 'offer-ads': commandLine },
          paymentArrived: () =>
            eventually(async () => {
              const unpaid = await reader.request(
                'GET',
                '/offers?environment=test&offer_status=awaiting_payment',
              );
              expect(unpaid.body.data).toEqual([]);
            }),
        });
        expect(differences).toEqual([]);
      },
      300_000,
    );
  });
}
