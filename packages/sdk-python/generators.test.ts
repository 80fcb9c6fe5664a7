/** The OpenAPI documents, read by Python's validator and by two generators of clients, whose code is compiled. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isPythonSkipped } from './is-python-skipped.ts';
import { pythonTools } from './python-tools.ts';

const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
/** For a run of seconds: the second compiler of Java's machine would cost more than it saves. */
const shortRun = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };
const generated = fileURLToPath(new URL('../contracts/generated', import.meta.url));

(isPythonSkipped ? describe.skip : describe)('generators read', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'offer-ads-generators-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** With a type that the code must have; of the public API one of a message that a webhook gets. */
  const documents = [
    ['openapi', 'OfferUpdatedEvent'],
    ['community-openapi', 'Placements'],
    ['portal-openapi', 'WebhookWithSecret'],
  ] as const;

  it.each(documents)(
    '%s: openapi-spec-validator, also its patterns, which Python must compile',
    async (name, _type) => {
      const { python } = await pythonTools('openapi-spec-validator');
      const file = join(generated, `${name}.json`);
      expect(await python(['-m', 'openapi_spec_validator', file])).toBe(`${file}: OK\n`);
    },
  );

  it.each(documents)('%s: openapi-python-client, and Python imports its code', async (name, type) => {
    const { python } = await pythonTools('tools');
    const module = name.replace('-', '_');
    // It fails on each warning.
    const generate =
      'import sys, pathlib, hatch_build; hatch_build.generate(*map(pathlib.Path, sys.argv[1:]))';
    await python(['-c', generate, join(generated, `${name}.json`), join(folder, module)]);
    const program = `import pkgutil, importlib, ${module}
for found in pkgutil.walk_packages(${module}.__path__, '${module}.'): importlib.import_module(found.name)
print('${type}' in ${module}.models.__all__)`;
    expect(await python(['-c', program], { cwd: folder })).toBe('True\n');
  });

  it.each(documents)(
    '%s: openapi-generator, and TypeScript compiles its code',
    async (name, type) => {
      const { python } = await pythonTools('openapi-generator');
      const output = join(folder, `typescript-${name}`);
      const given = ['-g', 'typescript-fetch', '-i', join(generated, `${name}.json`), '-o', output];
      const program =
        'import sys; from openapi_generator_cli import run; sys.exit(run(sys.argv[1:]).returncode)';
      const said = await python(['-c', program, 'generate', ...given], { env: shortRun });
      expect(said.split('\n').filter((line) => /\b(ERROR|Exception)\b/.test(line))).toEqual([]);
      expect(readdirSync(join(output, 'models'))).toContain(`${type}.ts`);
      const options = '--strict --noEmit --target es2022 --module preserve --lib es2023,dom --types';
      const args = [compiler, ...options.split(' '), '', join(output, 'index.ts')];
      const compiled = promisify(execFile)(process.execPath, args, { cwd: output });
      await compiled.catch(({ stdout }: { stdout: string }) => {
        throw new Error(stdout);
      });
    },
    600_000,
  );
});
