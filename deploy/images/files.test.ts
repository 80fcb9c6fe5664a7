/** Dockerfile and .dockerignore, held against what the services read; no Docker is needed. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import { filesOf, isSent } from './files.ts';
import { reachedFrom } from './imports.ts';

/** What is started in an image: by itself, as a migration, by a person. */
const programs = ['main', 'migrate'];
const shared = [
  'packages/platform/src/telemetry/telemetry.ts',
  'packages/admin/src/main.ts',
  'packages/admin/src/console/main.ts',
  // Of the packages by which the gateway serves assistants, the programs that people install are in the image too.
  'packages/mcp/src/main.ts',
  'packages/sdk/src/index.ts',
  'packages/sdk/src/cli/main.ts',
];
const entriesOf = (image: string): string[] =>
  image === 'simulators'
    ? globSync('packages/simulators/src/*/main.ts', { cwd: repository })
    : [
        ...globSync(
          programs.map((name) => `services/${image}/src/${name}.ts`),
          { cwd: repository },
        ),
        ...shared,
      ];

const images = [...serviceNames, 'simulators'];
const isCode = (path: string) => path.endsWith('.ts');

describe.each(images)('the image of %s', (image) => {
  it('has every file that its programs import', () => {
    const there = new Set(filesOf(image));
    const missing = [...reachedFrom(entriesOf(image), { types: false })].filter((path) => !there.has(path));
    expect(missing).toEqual([]);
  });
});

describe('the stage that builds the pages', () => {
  it('has every file that the pages are built from', async () => {
    // Not an import: its types are those of browsers.
    const { foldersOfGuides } = (await import(join(repository, 'web/docs/build.ts'))) as {
      foldersOfGuides: readonly string[];
    };
    const imported = [
      ...reachedFrom(['web/build.ts', 'packages/mcp/src/main.ts'], { types: false }),
      ...reachedFrom(['packages/sdk/src/index.ts', 'packages/sdk/src/cli/main.ts'], { types: true }),
    ];
    const contents = foldersOfGuides
      .flatMap((folder) => globSync(`${folder}/**/*.*`))
      .filter((path) => !path.endsWith('test-pictures/README.md'));
    const clients = globSync(
      [
        'tsconfig.json',
        'packages/contracts/generated/openapi.json',
        'packages/{sdk,mcp}/*',
        'packages/sdk-python/{*,requirements/tools.txt,src/**/*.py}',
      ],
      { cwd: repository },
    ).filter((path) => extname(path) !== '' && !path.endsWith('.test.ts'));
    const read = [...imported, ...clients, ...contents.map((path) => relative(repository, path))];
    expect(read.length).toBeGreaterThan(contents.length);
    expect(read.filter((path) => !isSent(path))).toEqual([]);
  });
});

describe('images', () => {
  it('have no code that no service or simulator imports, such as fixtures', () => {
    const reached = new Set(images.flatMap((image) => [...reachedFrom(entriesOf(image), { types: true })]));
    const unused = new Set(images.flatMap(filesOf).filter((path) => isCode(path) && !reached.has(path)));
    expect([...unused]).toEqual([]);
  });

  it('have only those files that are not code which are read at run time', () => {
    const read = [
      /^packages\/(admin|contracts|mcp|platform|sdk|simulators)\/package\.json$/,
      /^packages\/contracts\/generated\/((portal|community)-)?openapi\.json$/,
      /^packages\/simulators\/src\/community\/page\/[\w.]+$/,
      /^packages\/platform\/migrations\/[\w-]+\.sql$/,
      /^packages\/platform\/src\/process\/stripped-sources\.mjs$/,
      /^services\/\w+\/(package\.json|migrations\/[\w-]+\.sql)$/,
      /^services\/moderation\/model\/nsfwjs-mobilenet-v2\.onnx$/,
    ];
    const others = new Set(
      images.flatMap(filesOf).filter((path) => !isCode(path) && !read.some((pattern) => pattern.test(path))),
    );
    expect([...others]).toEqual([]);
  });

  it.each([
    '.env',
    '.git/config',
    'secrets/admin-token',
    'deploy/compose/secrets/admin-token',
    '.dev/admin.json',
    'services/offers/test/offers.api.test.ts',
  ])('are built without %s', (path) => {
    expect(isSent(path)).toBe(false);
  });

  it('are started with programs and modules that exist', () => {
    const files = ['Dockerfile', 'docker-compose.yml', ...globSync('k8s/**/*.yaml', { cwd: repository })];
    const commands = files.map((file) => readFileSync(join(repository, file), 'utf8')).join('\n');
    const programs = new Set(commands.match(/(?<=[ "[]|\/app\/)(src|packages)\/[\w/-]+\.ts\b/g));
    expect(programs.size).toBeGreaterThan(6);
    for (const path of programs) {
      const found = globSync([path, `services/*/${path}`], { cwd: repository });
      expect([path, found.length > 0]).toEqual([path, true]);
    }
    const modules = new Set(commands.match(/@offer-ads\/[\w/-]+(?=")/g));
    expect(modules.size).toBe(1);
    for (const name of modules) expect(existsSync(fileURLToPath(import.meta.resolve(name)))).toBe(true);
  });

  it('have sources that run without Node’s compiler', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stripped-'));
    try {
      writeFileSync(join(folder, 'typed.ts'), "export const word: string = ('stripped' as string);\n");
      writeFileSync(join(folder, 'main.ts'), "import { word } from './typed.ts';\nconsole.log(word!);\n");
      const inFolder = { cwd: folder, encoding: 'utf8', env: {} } as const;
      execFileSync(process.execPath, [join(repository, 'deploy/images/strip-types.ts'), folder], inFolder);
      const hook = join(repository, 'packages/platform/src/process/stripped-sources.mjs');
      const args = ['--no-experimental-strip-types', `--import=${hook}`, 'main.ts'];
      expect(execFileSync(process.execPath, args, inFolder)).toBe('stripped\n');
      expect(readFileSync(join(folder, 'typed.ts'), 'utf8')).not.toContain(': string');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('are built from the manifest of every workspace in the lock file', () => {
    const { workspaces } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      workspaces: string[];
    };
    const manifests = globSync(
      workspaces.map((folder) => `${folder}/package.json`),
      { cwd: repository },
    );
    expect(manifests.length).toBeGreaterThan(serviceNames.length);
    expect(['package.json', 'package-lock.json', ...manifests].filter((path) => !isSent(path))).toEqual([]);
  });
});
