/** The package as users install it: packed, installed into an empty folder, type-checked, bundled and run, with the README's examples. */
import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'vite';
import { everyNode } from '../test/every-node.ts';
import { type StandIn, startStandIn } from '../test/stand-in.ts';

const run = promisify(execFile);
const sdk = fileURLToPath(new URL('..', import.meta.url));
const repository = join(sdk, '..', '..');
const pictures = join(repository, 'docs', 'test-pictures');
const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin',
  'tsc',
);
const apiKey = 'pk_test_thisIsNoRealKeyButLooksLikeOne12345678';
const placementKey = apiKey.replace('pk_', 'pk_place_');

let folder: string;
let service: StandIn;
const installed = () => join(folder, 'node_modules', '@offer-ads', 'sdk');

beforeAll(async () => {
  service = await startStandIn();
  folder = mkdtempSync(join(tmpdir(), 'sdk-consumer-'));
  const published = join(folder, 'published');
  await run(process.execPath, [join(sdk, 'build.ts'), published]);
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","type":"module","private":true}');
  // A copy of what would be packed, not a link.
  const options = ['--install-links', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', published, ...options], { cwd: folder });
}, 300_000);

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes files and compiles them as a user would; rejects with the compiler's messages. */
async function compile(name: string, files: Record<string, string>, options: object): Promise<string> {
  const project = join(folder, name);
  mkdirSync(project, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
  const base = { target: 'es2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true };
  const compilerOptions = { ...base, outDir: 'out', rootDir: '.', noEmitOnError: true, ...options };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const compiled = run(process.execPath, [compiler, '-p', project]);
  await compiled.catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
  return join(project, 'out');
}

const withNode = {
  types: ['node'],
  typeRoots: [join(repository, 'node_modules', '@types')],
  skipLibCheck: true,
};

describe('the published package', () => {
  it('contains only JavaScript, declarations and the README, and has no dependencies', () => {
    const text = readFileSync(join(installed(), 'package.json'), 'utf8');
    const manifest = JSON.parse(text) as Record<string, unknown>;
    expect(manifest).toMatchObject({ name: '@offer-ads/sdk', engines: { node: '>=20' } });
    for (const name of ['dependencies', 'peerDependencies', 'scripts', 'private'])
      expect(manifest).not.toHaveProperty(name);
    const files = globSync('**/*.*', { cwd: installed() });
    expect(files.filter((file) => !/\.(js|d\.ts)$/.test(file)).toSorted()).toEqual([
      'README.md',
      'package.json',
    ]);
    const texts = files.map((file) => readFileSync(join(installed(), file), 'utf8')).join('\n');
    expect(texts).not.toMatch(/from '(?!node:|\.|@offer-ads\/sdk')/);
  });

  it('compiles without the types of Node, in a CommonJS module too, and only with codes of the endpoint', async () => {
    const good = `
      import { createClient } from '@offer-ads/sdk';
      const ads = createClient({ apiKey: 'pk_test_x', baseUrl: 'https://ads.example.com' });
      const { value } = await ads.categories.list();
      export const name: string | undefined = value.categories[0]?.category_name;
      export async function pause(id: number): Promise<'done' | 'was so' | 'cannot'> {
        const result = await ads.offers.pause(id);
        if (result.ok) return 'done';
        switch (result.code) {
          case 'E3': return 'was so';
          case 'E1': case 'E2': case 'E5': return 'cannot';
        }
      }
      const deleted = await ads.offers.delete(1);
      if (!deleted.ok && deleted.code === 'E7') { const status: 503 = deleted.status; void status; }
    `;
    const strict = { lib: ['es2023', 'dom'], types: [], skipLibCheck: false, noEmit: true };
    const commonJs = `
      import sdk = require('@offer-ads/sdk');
      export const ads: sdk.OfferAds = sdk.createClient({ apiKey: 'pk_test_x', baseUrl: 'https://ads.example.com' });
    `;
    const changes = [
      ["case 'E3'", "case 'E4'"],
      ["case 'E1': case 'E2'", "case 'E1'"],
      ['status: 503', 'status: 409'],
      ['category_name', 'name'],
    ] as const;
    const wrong = Object.fromEntries(
      changes.map(([from, to], index) => [`wrong-${index}.ts`, good.replace(from, to)]),
    );
    const compiled = compile('browserless', { 'good.ts': good, 'main.cts': commonJs, ...wrong }, strict);
    const said = await compiled.catch((error: Error) => error.message);
    const faulty = [...said.matchAll(/([\w.-]+\.c?ts)\(\d+,\d+\): error TS/g)].map(([, file]) => file);
    expect(new Set(faulty)).toEqual(new Set(Object.keys(wrong)));
  }, 300_000);

  it('compiles for a bundler', async () => {
    const esm = `
      import { createCommunityClient, type Placement } from '@offer-ads/sdk';
      const community = createCommunityClient({ placementKey: 'pk_place_test_x', baseUrl: 'https://ads.example.com' });
      const { value } = await community.placements({ latitude: 0, longitude: 0, gender: 'Male' });
      export const first: Placement | undefined = value.placements[0];
    `;
    const strict = { lib: ['es2023', 'dom'], types: [], skipLibCheck: false, noEmit: true };
    const forBundler = compile('for-bundler', { 'main.ts': esm }, { ...strict, module: 'preserve' });
    await expect(forBundler).resolves.toBeDefined();
  });

  it('runs in plain JavaScript, as a module and by require, on each installed Node', async () => {
    const use = `
      const ads = createClient({ apiKey: process.env.OFFER_ADS_API_KEY, baseUrl: process.env.OFFER_ADS_BASE_URL });
      ads.categories.list().then(({ value }) => console.log(value.categories[0].category_name));
    `;
    writeFileSync(join(folder, 'plain.mjs'), `import { createClient } from '@offer-ads/sdk';${use}`);
    writeFileSync(join(folder, 'plain.cjs'), `const { createClient } = require('@offer-ads/sdk');${use}`);
    for (const [version, node] of await everyNode()) {
      const requires = execFileSync(node, ['-p', 'process.features.require_module === true']);
      const files = String(requires).trim() === 'true' ? ['plain.mjs', 'plain.cjs'] : ['plain.mjs'];
      for (const file of files) {
        const { stdout } = await run(node, [file], { cwd: folder, env: environment() });
        expect([version, file, stdout]).toEqual([version, file, 'Food and drink\n']);
      }
    }
  });

  it('is bundled for browsers without modules of Node, and without what is not used', async () => {
    const entry = join(folder, 'page.js');
    writeFileSync(
      entry,
      `import { createCommunityClient } from '@offer-ads/sdk';
       console.log(createCommunityClient({ placementKey: 'pk_place_test_x', baseUrl: 'https://ads.example.com' }).mode);`,
    );
    const outDir = join(folder, 'bundle');
    const lib = { entry, formats: ['es' as const], fileName: 'page' };
    await build({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      build: { outDir, lib, minify: false },
    });
    const code = readFileSync(join(outDir, 'page.js'), 'utf8');
    expect(code).not.toMatch(/^import\b|\bimport\(|node:|__vite-browser-external/m);
    expect(code).toContain('/placements/views');
    expect(code).not.toContain('multipart/form-data');
    const { stdout } = await run(process.execPath, [join(outDir, 'page.js')], { env: environment() });
    expect(stdout).toBe('TEST\n');
  });

  it('runs the examples of the README on each installed Node', async () => {
    const readme = readFileSync(join(installed(), 'README.md'), 'utf8');
    const snippets = [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code ?? '');
    expect(snippets.length).toBeGreaterThan(8);
    const files = Object.fromEntries(snippets.map((code, index) => [`snippet-${index}.ts`, asModule(code)]));
    const names = Object.keys(files).map((name) => name.replace('.ts', '.js'));
    const main = names
      .map((name) => `await (await import('./${name}')).run(); done.push('${name}');`)
      .join('\n');
    const out = await compile(
      'readme',
      {
        ...files,
        'scene.ts': scene,
        'main.ts': `const done: string[] = [];\n${main}\nconsole.log(JSON.stringify(done));`,
      },
      withNode,
    );
    cpSync(join(pictures, 'always-allowed.png'), join(out, 'always-allowed.png'));
    const picture = readFileSync(join(pictures, 'always-allowed.png'));
    for (const [, node] of await everyNode()) {
      const before = service.asked.length;
      const { stdout } = await run(node, ['main.js'], { cwd: out, env: environment() });
      expect(stdout.trimEnd().split('\n').at(-1)).toBe(JSON.stringify(names));
      const created = service.asked.slice(before).filter(({ route }) => route === 'POST /offers');
      expect(created.length).toBeGreaterThan(2);
      for (const { body, headers } of created) {
        expect(body.includes(picture)).toBe(true);
        expect(headers['idempotency-key']).toMatch(/^[!-~]{8,}$/);
        expect(body.toString('latin1')).toContain('name="environment"\r\n\r\nTEST\r\n');
      }
      const shownAndSeen = service.asked.slice(before).filter(({ route }) => route.includes('/placements'));
      expect(shownAndSeen.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([
        expect.objectContaining({ gender: 'Female', interests: [1, 2] }),
        { view_tokens: ['payload.signature'] },
      ]);
    }
  }, 300_000);

  it('has a command line that runs on each installed Node', async () => {
    const command = join(installed(), 'cli', 'main.js');
    const manifest = readFileSync(join(installed(), 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    expect(existsSync(join(folder, 'node_modules', '.bin', 'offer-ads'))).toBe(true);
    for (const [, node] of await everyNode()) {
      const { stdout } = await run(node, [command, 'offers', 'list', '--all'], { env: environment() });
      expect(stdout.split('\n').slice(0, 2)).toEqual([
        'ID  STATUS  START              EXPIRY             MILES  TITLE',
        ' 3  Active  2035-06-01 12:00Z  2035-06-03 12:00Z     10  Two for one',
      ]);
      const refused = run(node, [command, 'offers', 'pause', '99'], { env: environment() });
      await expect(refused).rejects.toMatchObject({ code: 3, stderr: 'Refused, E1: Offer not found\n' });
      expect((await run(node, [command, '--version'])).stdout).toBe(`${version}\n`);
    }
  });
});

function environment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    OFFER_ADS_API_KEY: apiKey,
    OFFER_ADS_PLACEMENT_KEY: placementKey,
    OFFER_ADS_BASE_URL: service.url,
  };
}

/** The names that the README's examples use without declaring them. */
const scene = `
  import { openAsBlob } from 'node:fs';
  import { createClient, type CreateOfferRequest } from '@offer-ads/sdk';
  export const apiKey = process.env.OFFER_ADS_API_KEY ?? '';
  export const baseUrl = process.env.OFFER_ADS_BASE_URL ?? '';
  export const ads = createClient({ apiKey, baseUrl });
  export const offerId = 4711;
  export const offer: CreateOfferRequest = {
    category_id: 1, title: 'Two for one', description: 'x', url: 'https://example.com/', radius: 10,
    image: await openAsBlob('always-allowed.png'), location: [51.5, -0.1], payment_method: 'B',
    start_datetime: new Date(), expiry_datetime: new Date(Date.now() + 3_600_000),
  };
  export const chooseAnotherPicture = (why: string) => why;
  export const tellTheAdmin = (why: string) => why;
`;

/** An example as a module: its imports, the names of the scene, and the rest as a function. */
function asModule(code: string): string {
  const imports = code.match(/^import .*;$/gm) ?? [];
  const missing = ['createClient', 'createCommunityClient', 'OfferAdsError', 'unwrap'].filter(
    (name) => new RegExp(`\\b${name}\\b`).test(code) && !imports.some((line) => line.includes(name)),
  );
  const body = code.replaceAll(/^import .*;$/gm, '');
  return `${imports.join('\n')}
    ${missing.length === 0 ? '' : `import { ${missing.join(', ')} } from '@offer-ads/sdk';`}
    import * as scene from './scene.js';
    export async function run(): Promise<unknown> {
      const { apiKey, baseUrl, ads, offer, offerId, chooseAnotherPicture, tellTheAdmin } = scene;
      void [apiKey, baseUrl, ads, offer, offerId, chooseAnotherPicture, tellTheAdmin];
      return (async () => {
        ${body}
        return undefined;
      })();
    }`;
}
