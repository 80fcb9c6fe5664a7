/** Bills of materials of the services' npm packages, made by npm from the files that images are built from. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '@offer-ads/dev/start/folder';
import { forProcessor, type Lock, lockOfImages, type Processor } from './lock.ts';

const run = promisify(execFile);

export type Component = {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly cpe?: string;
};
/** The parts of CycloneDX 1.5 that we use. */
export type Bom = {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

/** Far above the bill of all packages, which has about a megabyte. */
const MAX_BYTES = 64 * 2 ** 20;

export function readLock(): Lock {
  return JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lock;
}

/** The bill of all packages of all images. */
export async function npmSbom(lock: Lock, cpu: Processor): Promise<Bom> {
  const folder = await mkdtemp(join(tmpdir(), 'sbom-'));
  try {
    await writeProject(folder, forProcessor(lockOfImages(lock), cpu));
    const options = ['--package-lock-only', '--sbom-format=cyclonedx'];
    const { stdout } = await run('npm', ['sbom', ...options], { cwd: folder, maxBuffer: MAX_BYTES });
    return JSON.parse(stdout) as Bom;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes what npm needs: the lock file, and a manifest for each workspace. */
async function writeProject(folder: string, lock: Lock): Promise<void> {
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const own = Object.entries(lock.packages).filter(([path]) => !path.includes('node_modules'));
  for (const [path, manifest] of own) {
    const file = join(folder, path, 'package.json');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(manifest));
  }
}

/**
 * The service (as the root) with its dependencies and those of the admin tool, which is in every image.
 *
 * @param inImage packages found in the image, as `name@version`: npm also installs dependencies of packages for other platforms
 */
export function sbomOf(service: string, all: Bom, inImage: readonly string[] = []): Bom {
  const needed = new Set<string>();
  const edges = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const visit = (ref: string): void => {
    if (needed.has(ref)) return;
    needed.add(ref);
    for (const next of edges.get(ref) ?? []) visit(next);
  };
  for (const one of inImage) if (edges.has(one)) visit(one);
  const ours = all.components.filter((one) => ['admin', service].some((name) => isOurs(one, name)));
  for (const one of ours) visit(one['bom-ref']);
  const top = ours.find((one) => isOurs(one, service));
  if (top === undefined) throw new Error(`npm lists no @offer-ads/${service}`);
  return {
    ...all,
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    metadata: { ...all.metadata, component: { ...named(top), type: 'application' } },
    components: all.components.filter((one) => one !== top && needed.has(one['bom-ref'])).map(named),
    dependencies: all.dependencies.filter(({ ref }) => needed.has(ref)),
  };
}

function isOurs(component: Component, workspace: string): boolean {
  return component['bom-ref'].startsWith(`@offer-ads/${workspace}@`);
}

/** Renames workspaces, which npm lists by their folder. */
function named(component: Component): Component {
  const ref = component['bom-ref'];
  return { ...component, name: ref.slice(0, ref.lastIndexOf('@')) };
}
