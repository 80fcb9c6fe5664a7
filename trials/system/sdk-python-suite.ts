/** The Python client against the whole system: empty projects install it from the gateway and buy an offer. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { runPython } from '@offer-ads/sdk-python/python-tools';
import { newOrganisation, unusedAddress } from '../harness/advertiser.ts';
import { outermostPythons, ownAddress, pythonWithClient } from '../harness/python-client.ts';
import type { TestSystem } from '../harness/test-system.ts';

const picture = fileURLToPath(new URL('../../docs/test-pictures/always-allowed.png', import.meta.url));

export function describePythonClient(system: () => TestSystem): void {
  describe('the Python client', () => {
    const title = 'buys an offer, looks at it, pauses, resumes and deletes it';
    for (const { minor } of outermostPythons)
      it(`${title} on Python 3.${minor}`, async () => {
        const python = await pythonWithClient(system(), minor);
        if (python === null) return;
        const folder = join(system().folder, `python-project-3.${minor}`);
        mkdirSync(folder, { recursive: true });
        const printed = await runPython(python, [join(import.meta.dirname, 'whole_life.py')], {
          cwd: folder,
          env: {
            BASE_URL: system().state().gateway,
            API_KEY: (await newOrganisation(system())).key,
            PICTURE: picture,
            PYTHONPATH: ownAddress(folder, unusedAddress()),
          },
        });
        expect(JSON.parse(printed)).toEqual({
          interests: true,
          status: 'Scheduled',
          replayed: [false, true, true],
          reused: 'key-reused',
          paid: [true, true],
          text: true,
          times: [true],
          place: [51.5, 0, ['Female', 'Male'], 3],
          listed: ['Other', 'By Python'],
          updated: [null, 'Changed', 'E1'],
          paused: [null, 'E3'],
          resumed: [null, 'E4'],
          views: 0,
          points: 3_600,
          deleted: [null, null, 'E1'],
          limit: 'E1',
          stranger: 'unauthorised',
        });
      }, 600_000);
  });
}
