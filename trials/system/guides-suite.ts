/** The guides: every example runs against the whole system, and the replies are those of the guides. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { onPath } from '@offer-ads/backing/on-path';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Reader, runGuide } from '../guides/run-guide.ts';
import { advertiser, newOrganisation, type Organisation, unusedAddress } from '../harness/advertiser.ts';
import { pythonWithClient } from '../harness/python-client.ts';
import type { TestSystem } from '../harness/test-system.ts';

const commandLine = fileURLToPath(new URL('../../packages/sdk/src/cli/main.ts', import.meta.url));

/** `pages`: in the order in which people read them. `run` returns the differences. */
export type Guides = {
  readonly pages: readonly string[];
  readonly files: readonly string[];
  readonly run: (page: string, reader: Omit<Reader, 'folder' | 'clientIp'>) => Promise<readonly string[]>;
};

export function guidesIn(name: string, system: () => TestSystem): Guides {
  const guides = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
  const listed = readFileSync(join(guides, 'README.md'), 'utf8').matchAll(
    /^\d+\. \[[^\]]+\]\(([\w-]+\.md)\)/gm,
  );
  return {
    pages: [...listed].map(([, file = '']) => file),
    files: readdirSync(guides).filter((file) => file.endsWith('.md') && file !== 'README.md'),
    run: (page, reader) =>
      runGuide(readFileSync(join(guides, page), 'utf8'), {
        ...reader,
        folder: join(system().folder, name, page),
        clientIp: unusedAddress(),
      }),
  };
}

const tools = ['bash', 'curl', 'npm'].filter((tool) => onPath(tool) === undefined);
if (tools.length > 0) console.warn(`${tools.join(' and ')} not found: the guides' commands are not run`);
export const describeWithTools = tools.length > 0 ? describe.skip : describe;

export function describeGuides(system: () => TestSystem): void {
  const guides = guidesIn('guides', system);

  describeWithTools('the guides', () => {
    // The organisation of the first guide has no offers yet.
    let organisation: Organisation;
    beforeAll(async () => {
      organisation = await newOrganisation(system());
    });

    it('are all listed in README.md', () => {
      expect(guides.pages.toSorted()).toEqual(guides.files.toSorted());
    });

    it.each(guides.pages)(
      '%s: each command runs and gets the reply that the guide shows',
      async (page) => {
        const reader = advertiser(system(), organisation.key);
        const differences = await guides.run(page, {
          values: { BASE_URL: system().state().gateway, API_KEY: organisation.key },
          programs: { 'offer-ads': commandLine },
          scripts: {},
          settings: {},
          python: await pythonWithClient(system()),
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
      600_000,
    );
  });
}
