/**
 * `npm run sbom`: writes a bill of materials for each service's image to sbom/ (CycloneDX 1.5). If the images are on this machine
 * (`npm run images`), it includes Node and the Debian packages, and fails if an image differs from the lock file.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reasonOf } from '@offer-ads/backing/find';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { readCommandLine } from '@offer-ads/dev/command-line';
import { repository } from '@offer-ads/dev/start/folder';
import { contentsOf, differences, withBase } from './contents.ts';
import type { Processor } from './lock.ts';
import { type Bom, npmSbom, readLock, sbomOf } from './npm-sbom.ts';

const usage = `npm run sbom -- [--tag dev] [--prefix offer-ads]
  of the images with this tag and prefix, if they are on this machine`;
const values = readCommandLine(
  usage,
  (args) =>
    parseArgs({
      args,
      options: { tag: { type: 'string', default: 'dev' }, prefix: { type: 'string', default: 'offer-ads' } },
    }).values,
);
const folder = join(repository, 'sbom');
const lock = readLock();
const listed = new Map<Processor, Promise<Bom>>();

mkdirSync(folder, { recursive: true });
try {
  for (const service of serviceNames)
    console.log(await write(service, `${values.prefix}/${service}:${values.tag}`));
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}

async function write(service: ServiceName, image: string): Promise<string> {
  const contents = contentsOf(image);
  const cpu = contents?.cpu ?? 'x64';
  const all = listed.get(cpu) ?? npmSbom(lock, cpu);
  listed.set(cpu, all);
  const packages = sbomOf(service, await all, contents?.npm);
  const wrong = contents ? differences(packages, contents) : [];
  if (wrong.length > 0) throw new Error(`${image}: ${wrong.join('; ')}`);
  const bom = contents ? withBase(packages, contents) : packages;
  const file = `${service}.cdx.json`;
  writeFileSync(join(folder, file), `${JSON.stringify(bom, null, 2)}\n`);
  const of = contents ? `of ${image}` : `of package-lock.json alone, because ${image} is not here`;
  return `sbom/${file}: ${bom.components.length} components ${of}`;
}
