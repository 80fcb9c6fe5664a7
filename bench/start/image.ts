/** Services as their images run: with the files, the flags and the memory settings of an image, but without Docker. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { filesOf } from '@offer-ads/deploy/images/files';
import { repository } from '@offer-ads/dev/start/folder';
import { type Running, startProcess } from '../process.ts';

type Service = (typeof serviceNames)[number];

/** Writes the files of all images into a folder, without types. Packages are links to the repository's. */
export function layOutImages(folder: string): void {
  const files = new Set(serviceNames.flatMap((service) => filesOf(service)));
  for (const file of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    cpSync(join(repository, file), join(folder, file));
  }
  cpSync(join(repository, 'web/dist'), join(folder, 'web/dist'), { recursive: true });
  execFileSync(process.execPath, [
    '--no-warnings',
    join(repository, 'deploy/images/strip-types.ts'),
    join(folder, 'packages'),
    join(folder, 'services'),
  ]);
  const [from, to] = [join(repository, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name !== '@offer-ads') symlinkSync(join(from, name), join(to, name));
  cpSync(join(from, '@offer-ads'), join(to, '@offer-ads'), { recursive: true, verbatimSymlinks: true });
}

/**
 * Starts a further replica of a service that `npm start` runs, with its settings.
 *
 * @param o.images the folder of `layOutImages`
 * @param o.pid the running service
 * @param o.env settings that differ
 */
export async function startReplica(o: {
  readonly service: Service;
  readonly images: string;
  readonly pid: number;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<Running & { readonly url: string }> {
  const { service, images, folder } = o;
  const { NODE_COMPILE_CACHE: _, ...settings } = Object.fromEntries(
    readFileSync(`/proc/${o.pid}/environ`, 'utf8')
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)] as const),
  );
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const running = await startProcess({
    name: `${service}-image`,
    folder,
    command: process.execPath,
    args: ['--import', '@offer-ads/platform/telemetry/telemetry', 'src/main.ts'],
    cwd: join(images, 'services', service),
    env: {
      ...settings,
      PORT: `${port}`,
      ...imageSettings(images),
      ...o.env,
    },
    readyUrl: `${url}/readyz`,
  });
  return { ...running, url };
}

/** What the Dockerfile sets for Node and its allocator. */
export function imageSettings(images: string): Record<string, string> {
  const hooks = pathToFileURL(join(images, 'packages/platform/src/process/stripped-sources.mjs'));
  return {
    NODE_ENV: 'production',
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '262144',
    NODE_OPTIONS: `--import=${hooks.href} --max-semi-space-size=8`,
  };
}
