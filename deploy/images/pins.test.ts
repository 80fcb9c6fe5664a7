/** Images by digest: every image that is run can be pinned by one command, and what was pinned is what runs. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { repository } from '@offer-ads/dev/start/folder';
import { deployed } from '@offer-ads/k8s/checks/overlays';
import { render } from '@offer-ads/k8s/render/render';
import { readCompose, resolved } from '../compose/file.ts';
import { firstEnv } from '../compose/first-env.ts';
import { imagesIn, pinnedFiles, textOf, withDigests } from './pins.ts';

const aDigest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const another = `sha256:${'f'.repeat(64)}`;
const all = new Map(
  pinnedFiles.flatMap((file) => imagesIn(textOf(file)).map(({ image }) => [image, aDigest])),
);

const folder = mkdtempSync(join(tmpdir(), 'pinned-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Everything that a rendered object runs, whatever its kind calls it. */
function imagesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imagesOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, of]) =>
    ['image', 'imageName'].includes(key) && typeof of === 'string' ? [of] : imagesOf(of),
  );
}

describe('once pinned', () => {
  cpSync(join(repository, 'k8s'), join(folder, 'k8s'), { recursive: true });
  cpSync(join(repository, 'deploy/monitoring'), join(folder, 'deploy/monitoring'), { recursive: true });
  for (const file of pinnedFiles.filter((file) => file.startsWith('k8s/')))
    writeFileSync(join(folder, file), withDigests(readFileSync(join(folder, file), 'utf8'), all));

  it.each(deployed.filter((path) => !path.startsWith('overlays/dev')))(
    '%s runs every image by its digest',
    (path) => {
      const run = render(path, join(folder, 'k8s')).flatMap(imagesOf);
      expect(run.length).toBeGreaterThan(0);
      expect(run.filter((image) => !image.endsWith(`@${aDigest}`))).toEqual([]);
    },
  );

  it('docker-compose.yml runs every image by its digest, except those that it builds', () => {
    const file = readCompose(withDigests(textOf('docker-compose.yml'), all));
    const { services } = resolved(parseEnv(firstEnv) as Record<string, string>, file);
    const run = Object.values(services).map(({ image }) => image);
    expect(run.filter((image) => !image.startsWith('offer-ads/') && !image.endsWith(`@${aDigest}`))).toEqual(
      [],
    );
  });

  it('the Dockerfile uses only base images with a digest', () => {
    const text = withDigests(textOf('Dockerfile'), all);
    const bases = [...text.matchAll(/^ARG \w+_IMAGE=(.+)$/gm)].map(([, image]) => image);
    expect(bases).toHaveLength(3);
    expect(bases.filter((image) => !image?.endsWith(`@${aDigest}`))).toEqual([]);
  });
});

describe('pinning', () => {
  it('again replaces a digest, and leaves images that no registry has', () => {
    const text = 'image: mongo:8.0.15\nimage: ${X_IMAGE:-postgres:18.6}\n';
    const once = withDigests(text, new Map([['mongo:8.0.15', aDigest]]));
    expect(imagesIn(once)).toEqual([
      { image: 'mongo:8.0.15', digest: aDigest },
      { image: 'postgres:18.6', digest: undefined },
    ]);
    expect(withDigests(once, new Map([['mongo:8.0.15', another]]))).toBe(
      text.replace('8.0.15', `8.0.15@${another}`),
    );
  });

  it('of a release writes the digest once, beside its tag', () => {
    const text = '  - name: offer-ads/gateway\n    newName: registry.example/gateway\n    newTag: 1.0.0\n';
    const digests = new Map([['registry.example/gateway:1.0.0', aDigest]]);
    const once = withDigests(text, digests);
    expect(once).toBe(`${text}    digest: ${aDigest}\n`);
    expect(withDigests(once, digests)).toBe(once);
  });
});
