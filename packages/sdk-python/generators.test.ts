/** The OpenAPI documents, read by Python's validator and by two generators of clients, whose code is compiled. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

  describe('by openapi-generator', () => {
    const outputOf = (name: string) => join(folder, `typescript-${name}`);
    let said: string;
    // Java's machine takes longer to start than to generate, so one generates all.
    beforeAll(async () => {
      const { python } = await pythonTools('openapi-generator');
      const files = documents.map(([name]) => {
        const inputSpec = join(generated, `${name}.json`);
        const settings = { generatorName: 'typescript-fetch', inputSpec, outputDir: outputOf(name) };
        const file = join(folder, `typescript-${name}-settings.json`);
        writeFileSync(file, JSON.stringify(settings));
        return file;
      });
      const program =
        'import sys; from openapi_generator_cli import run; sys.exit(run(sys.argv[1:]).returncode)';
      said = await python(['-c', program, 'batch', ...files], { env: shortRun });
    }, 600_000);

    it('all, without an error', () => {
      expect(said).toContain('Batch generation finished 3 generators successfully');
      expect(said.split('\n').filter((line) => /\b(ERROR|Exception)\b/.test(line))).toEqual([]);
    });

    it.each(documents)('%s, and TypeScript compiles its code', async (name, type) => {
      expect(readdirSync(join(outputOf(name), 'models'))).toContain(`${type}.ts`);
      const options = '--strict --noEmit --target es2022 --module preserve --lib es2023,dom --types';
      const args = [compiler, ...options.split(' '), '', join(outputOf(name), 'index.ts')];
      const compiled = promisify(execFile)(process.execPath, args, { cwd: outputOf(name) });
      await compiled.catch(({ stdout }: { stdout: string }) => {
        throw new Error(stdout);
      });
    });
  });
});
