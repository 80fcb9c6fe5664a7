/** The Python client as it is published: built, checked, installed in an empty environment, and used there with all of its README. */
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cached } from '@offer-ads/backing/cache-folder';
import { type StandIn, startStandIn } from '../sdk/test/stand-in.ts';
import { type Built, buildClient, offline } from './build.ts';
import { isPythonSkipped } from './is-python-skipped.ts';
import { everyPython, installClient, type PythonTools, pythonTools, runPython } from './python-tools.ts';

const here = import.meta.dirname;
const document = fileURLToPath(new URL('../contracts/generated/openapi.json', import.meta.url));
/** Of the client and its tests. */
const libraries = 'attrs, http.server, httpx, logging, ssl, tempfile, threading, unittest.mock, uuid';
const picture = fileURLToPath(new URL('../../docs/test-pictures/always-allowed.png', import.meta.url));

(isPythonSkipped ? describe.skip : describe)('the Python client', () => {
  let folder: string;
  let tools: PythonTools;
  let built: Built;
  /** Of environments that have the client and what it needs, by the version. */
  let pythons: ReadonlyMap<number, string>;
  /** The sources with the generated part. */
  let sources: string;
  let service: StandIn;
  const config = ['--config-file', join(here, 'pyproject.toml')];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offer-ads-python-'));
    tools = await pythonTools('tools');
    // What mypy found out about the libraries, which takes it longer than the client.
    const known = await cached(`${basename(dirname(tools.wheels))}-mypy`, async (unfinished) => {
      await tools.python(['-m', 'mypy', ...config, '--cache-dir', unfinished, '-c', `import ${libraries}`]);
    });
    cpSync(known, join(folder, 'mypy'), { recursive: true });
    built = await buildClient(tools, join(folder, 'built'));
    const installed = everyPython.map(async (python) => {
      // The tools have it for one version of Python.
      const also = python === tools.builder ? ['cryptography'] : [];
      const given = { python, wheel: built.wheel, wheels: tools.wheels, also };
      return [python.minor, await installClient(join(folder, `python-${python.minor}`), given)] as const;
    });
    pythons = new Map(await Promise.all(installed));
    sources = join(folder, 'sources');
    await tools.python(['-m', 'zipfile', '--extract', built.wheel, sources]);
    cpSync(join(here, 'tests'), join(folder, 'tests'), { recursive: true });
    service = await startStandIn();
  }, 600_000);
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const mypy = (...args: readonly string[]) => {
    const options = [...config, '--cache-dir', join(folder, 'mypy')];
    const env = { MYPYPATH: `${sources}:${folder}` };
    return tools.python(['-m', 'mypy', ...options, ...args], { cwd: folder, env });
  };

  it('is built from a checkout with its generated part, as from its source archive', async () => {
    const into = join(folder, 'from-checkout');
    await tools.python(['-m', 'pip', 'wheel', ...offline, '--wheel-dir', into, here]);
    const wheel = readFileSync(join(into, basename(built.wheel)));
    expect(wheel.equals(readFileSync(built.wheel))).toBe(true);
    // pip installs this for the build.
    const needed = 'import hatchling.build as b; print(*b.get_requires_for_build_wheel())';
    const said = await tools.python(['-c', needed], { cwd: here });
    expect(said).toMatch(/^openapi-python-client==\S+\n$/);
    expect(readFileSync(join(here, 'requirements/tools.txt'), 'utf8')).toContain(`${said.trim()} \\\n`);
  });

  it.each([
    ['outside of the repository', 'standard'],
    ['as an editable installation', 'editable'],
  ])('is not built without it: %s', async (_where, version) => {
    const outside = join(folder, 'outside');
    const project = version === 'editable' ? here : outside;
    for (const name of ['pyproject.toml', 'hatch_build.py', 'README.md', 'src'])
      cpSync(join(here, name), join(outside, name), { recursive: true });
    const building = ['-m', 'hatchling', 'build', '-t', `wheel:${version}`, '-d', folder];
    await expect(tools.python(building, { cwd: project })).rejects.toThrow('run `npm run build:python`');
  });

  it("is made from its source archive under a platform's own name, as the page says", async () => {
    const page = readFileSync(join(here, '../../docs/operations/deploying.md'), 'utf8');
    const [rename] = /^sed .*pyproject\.toml$/m.exec(page) ?? [];
    await tools.python(['-m', 'tarfile', '--extract', built.archive, folder]);
    const sources = join(folder, basename(built.archive, '.tar.gz'));
    await promisify(execFile)('sh', ['-c', rename!], { cwd: sources });
    await tools.python(['-m', 'pip', 'wheel', ...offline, '--wheel-dir', join(folder, 'own'), sources]);
    const [wheel] = globSync(join(folder, 'own', 'your_offer_ads-*.whl'));
    const given = { python: tools.builder, wheel: wheel!, wheels: tools.wheels };
    const python = await installClient(join(folder, 'renamed'), given);
    const program = `import offer_ads as o, importlib.metadata as m; o.OfferAds(api_key="pk_test_x", base_url="https://a.example")
print("Private :: Do Not Upload" in m.metadata("your-offer-ads").get_all("Classifier"))`;
    expect(await runPython(python, ['-c', program])).toBe('False\n');
  });

  it('needs httpx and attrs alone', async () => {
    const names = 'import importlib.metadata as m; print(m.requires("offer-ads"), m.version("offer-ads"))';
    const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as { version: string };
    const said = await runPython(pythons.get(tools.builder.minor)!, ['-c', names]);
    expect(said).toBe(`['attrs>=23.2', 'httpx<1,>=0.27'] ${version}\n`);
  });

  for (const { minor } of everyPython)
    it(`keeps its promises about keys, retries and idempotency (tests/) on Python 3.${minor}`, async () => {
      const tests = ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'];
      const env = { OPENAPI_DOCUMENT: document };
      const said = await runPython(pythons.get(minor)!, tests, { cwd: folder, env });
      const [, count] = /^Ran (\d+) tests/m.exec(said) ?? [];
      expect(Number(count)).toBeGreaterThan(40);
      expect(said).toMatch(minor === tools.builder.minor ? /^OK$/m : /^OK \(skipped=1\)$/m);
    });

  it('has types that mypy accepts at its strictest, in its sources and tests', async () => {
    expect(await mypy('-p', 'offer_ads', '-p', 'tests')).toMatch(/^Success/m);
  });

  it('is formatted and linted by ruff', async () => {
    const folders = ['--no-cache', 'src', 'tests'];
    const ruff = (...args: readonly string[]) =>
      tools.python(['-m', 'ruff', ...args, ...folders], { cwd: here });
    expect(await ruff('check')).toBe('All checks passed!\n');
    expect(await ruff('format', '--check')).toMatch(/already formatted\n$/);
  });

  it('has the codes of each endpoint in its types', async () => {
    const good = `
from typing_extensions import assert_never
from offer_ads import OfferAds

def pause(ads: OfferAds) -> str:
    result = ads.offers.pause(1)
    if result.ok:
        return result.value.message
    match result.code:
        case "E3":
            return "was so"
        case "E1" | "E2" | "E5":
            return "cannot"
        case never:
            assert_never(never)
`;
    const changes = [
      ['"E1" | "E2"', '"E1"'],
      ['value.message', 'value.code'],
      ['pause(1)', 'pause("1")'],
    ] as const;
    const file = join(folder, 'codes.py');
    writeFileSync(file, good);
    expect(await mypy(file)).toMatch(/^Success/m);
    for (const [from, to] of changes) {
      writeFileSync(file, good.replace(from, to));
      await expect(mypy(file)).rejects.toThrow(/codes\.py:\d+: error/);
    }
  });

  for (const { minor } of everyPython)
    it(`runs the examples of its README on Python 3.${minor}`, async () => {
      const examples = [...readFileSync(join(here, 'README.md'), 'utf8').matchAll(/```python\n([^]*?)```/g)];
      expect(examples.length).toBeGreaterThan(6);
      cpSync(picture, join(folder, 'always-allowed.png'));
      const code = examples.map(([, example]) => example).join('\n');
      // As the page says.
      const older = code.replace(
        'from typing import assert_never',
        'from typing_extensions import assert_never',
      );
      writeFileSync(join(folder, 'readme.py'), minor === 10 ? older : code);
      const before = service.asked.length;
      const said = await runPython(pythons.get(minor)!, ['readme.py'], {
        cwd: folder,
        env: { OFFER_ADS_API_KEY: 'pk_test_fromTheReadme', OFFER_ADS_BASE_URL: service.url },
      });
      expect(said).toContain('4711 Awaiting Payment https://ads.example.com/pay/token');
      const created = service.asked.slice(before).filter(({ route }) => route === 'POST /offers');
      expect(created.map(({ body }) => body.includes(readFileSync(picture)))).toEqual([true, true]);
      expect(created[1]?.headers['idempotency-key']).toBe('order-4711');
    });
});

describe('requirements', () => {
  it.each(['tools', 'openapi-generator'])('%s are pinned by hash', (set) => {
    const text = readFileSync(join(here, 'requirements', `${set}.txt`), 'utf8');
    const entries = text.replaceAll('\\\n', '').trim().split('\n');
    expect(entries.length).toBeGreaterThan(1);
    expect(entries.filter((entry) => !/^[\w-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}/.test(entry))).toEqual(
      [],
    );
  });
});
