/** `npm run images:pin`: gets the digest of every image from the registries and writes it after the tag. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reasonOf } from '@offer-ads/backing/find';
import { readCommandLine } from '@offer-ads/dev/command-line';
import { repository } from '@offer-ads/dev/start/folder';
import { ask } from './docker.ts';
import { imagesIn, pinnedFiles, textOf, withDigests } from './pins.ts';

const usage = `npm run images:pin -- [--check]: writes the digest of each image of the Dockerfile, docker-compose.yml and k8s/ behind its tag
  --check   only lists images without a digest; status 1 if there is one`;
const values = readCommandLine(
  usage,
  (args) => parseArgs({ args, options: { check: { type: 'boolean', default: false } } }).values,
);
if (!values.check) pin();
check();

function pin(): void {
  const images = new Set(pinnedFiles.flatMap((file) => imagesIn(textOf(file)).map(({ image }) => image)));
  const digests = new Map<string, string>();
  for (const image of [...images].toSorted()) {
    try {
      digests.set(image, digestOf(image));
    } catch (error) {
      console.error(`${image}: ${reasonOf(error)}`);
      // The old digest may not belong to the new tag.
      process.exitCode = 1;
    }
  }
  for (const file of pinnedFiles) {
    const before = textOf(file);
    const after = withDigests(before, digests);
    if (after !== before) writeFileSync(join(repository, file), after);
  }
}

/** The digest of the multi-platform index, so that it works on every machine. buildx prints a table for `{{.Manifest.Digest}}`. */
function digestOf(image: string): string {
  const manifest = ask('docker', 'buildx', 'imagetools', 'inspect', '--format', '{{json .Manifest}}', image);
  const { digest } = JSON.parse(manifest) as { readonly digest?: string };
  if (!/^sha256:[0-9a-f]{64}$/.test(digest ?? ''))
    throw new Error(`the registry gave no digest: ${manifest}`);
  return digest ?? '';
}

function check(): void {
  for (const file of pinnedFiles)
    for (const { image, digest } of imagesIn(textOf(file))) {
      if (digest !== undefined) continue;
      console.error(`${file}: ${image} has no digest`);
      process.exitCode = 1;
    }
}
