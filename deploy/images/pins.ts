/** Finds image names in files, and writes their digests. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';

/** `name:tag`, and its digest in the file, if any. */
export type NamedImage = { readonly image: string; readonly digest: string | undefined };

const name = String.raw`[a-z0-9][\w.-]*(?:/[\w.-]+)*:[\w.-]+`;
const digest = String.raw`sha256:[0-9a-f]{64}`;
/** A manifest's `image: x`, compose's `${X_IMAGE:-x}`, the Dockerfile's `ARG X_IMAGE=x`. */
const places = new RegExp(
  String.raw`(\bimage(?:Name)?: "?|_IMAGE:-|^ARG \w+_IMAGE=)(${name})(?:@(${digest}))?(?=["}\s])`,
  'gm',
);
/** Our own images, as listed for kustomize in a release. */
const releases = new RegExp(
  String.raw`(newName: (\S+)\n\s+newTag: ([\w.-]+)\n)(?:(\s+)digest: (${digest})\n)?`,
  'g',
);

export const pinnedFiles: readonly string[] = [
  'Dockerfile',
  'docker-compose.yml',
  ...globSync('k8s/**/*.yaml', { cwd: repository }),
].toSorted();

export const textOf = (file: string) => readFileSync(join(repository, file), 'utf8');

export function imagesIn(text: string): NamedImage[] {
  return [
    ...[...text.matchAll(places)].map(([, , image = '', digest]) => ({ image, digest })),
    ...[...text.matchAll(releases)].map(([, , name, tag, , digest]) => ({ image: `${name}:${tag}`, digest })),
  ];
}

/** Images without a known digest stay as they are. */
export function withDigests(text: string, digests: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(places, (whole, before: string, image: string) => {
      const digest = digests.get(image);
      return digest === undefined ? whole : `${before}${image}@${digest}`;
    })
    .replaceAll(releases, (whole, before: string, name: string, tag: string) => {
      const digest = digests.get(`${name}:${tag}`);
      return digest === undefined ? whole : `${before}    digest: ${digest}\n`;
    });
}
