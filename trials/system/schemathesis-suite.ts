/** Calls made from the API description by somebody else's tool: each status is described, and no 5xx stays. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { isPythonSkipped } from '@offer-ads/sdk-python/is-python-skipped';
import { pythonTools } from '@offer-ads/sdk-python/python-tools';
import { runs } from '@offer-ads/testing/profile';
import { newOrganisation } from '../harness/advertiser.ts';
import type { TestSystem } from '../harness/test-system.ts';

const hooks = join(import.meta.dirname, 'schemathesis_hooks.py');
const description = fileURLToPath(
  new URL('../../packages/contracts/generated/openapi.json', import.meta.url),
);

export function describeSchemathesis(system: () => TestSystem): void {
  (isPythonSkipped ? describe.skip : describe)('schemathesis', () => {
    it('meets no status that the description does not name', async () => {
      const { python } = await pythonTools('schemathesis');
      const { key } = await newOrganisation(system());
      // The key is in a file and not in an argument, which other processes can read.
      const config = join(system().folder, 'schemathesis.toml');
      writeFileSync(config, `hooks = "${hooks}"\nheaders = { x-api-key = "${key}" }\n`);
      const options = {
        '--url': system().state().gateway,
        '--checks': 'no_server_error_that_stays,status_code_conformance',
        // Of each of the 30 operations; those without input have only a few.
        '--max-examples': String(runs(5, 500)),
        '--phases': 'fuzzing',
        // Two threads of CPython 3.11 now and then end with a SystemError where hypothesis parses its own code (python/cpython#106905).
        '--workers': '1',
        '--generation-database': 'none',
      };
      const said = await python(
        [
          '-c',
          'from schemathesis.cli import schemathesis; schemathesis()',
          '--config-file',
          config,
          'run',
          description,
          ...Object.entries(options).flat(),
        ],
        { cwd: system().folder, timeoutMs: 3_540_000 },
      );
      const [, generated] = /^Test cases:\n\s*(\d+) generated/m.exec(said) ?? [];
      expect(Number(generated)).toBeGreaterThan(runs(100, 10_000));
    }, 3_600_000);
  });
}
