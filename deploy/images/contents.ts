/** Reads the packages inside an image, for its bill of materials. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Bom, Component } from './npm-sbom.ts';

const contents = z.object({
  node: z.string(),
  cpu: z.enum(['x64', 'arm64']),
  system: z.object({ name: z.string(), version: z.string() }).optional(),
  debian: z.array(z.object({ name: z.string(), version: z.string(), cpu: z.string() })),
  /** As `name@version`; our own packages too. */
  npm: z.array(z.string()),
});
export type Contents = z.infer<typeof contents>;

const program = fileURLToPath(new URL('inside.ts', import.meta.url));

/** Undefined without Docker or without the image on this machine. */
export function contentsOf(image: string): Contents | undefined {
  const quiet = { stdio: ['pipe', 'pipe', 'ignore'] as ['pipe', 'pipe', 'ignore'] };
  try {
    execFileSync('docker', ['image', 'inspect', image], quiet);
  } catch {
    return undefined;
  }
  const sealed = ['--rm', '--interactive', '--network', 'none', '--read-only', '--no-healthcheck'];
  const input = readFileSync(program);
  const told = execFileSync(
    'docker',
    ['run', ...sealed, image, 'node', '--input-type=module-typescript', '-'],
    { input },
  );
  return contents.parse(JSON.parse(told.toString()));
}

/** The npm packages that are only in the image or only in the list. */
export function differences(bom: Bom, { npm }: Contents): string[] {
  const listed = new Set(
    [bom.metadata.component, ...bom.components].map(({ name, version }) => `${name}@${version}`),
  );
  const there = new Set(npm);
  return [
    ...[...there.difference(listed)].map((one) => `${one} is in the image, and not in package-lock.json`),
    ...[...listed.difference(there)].map((one) => `${one} is not in the image`),
  ];
}

export function withBase(bom: Bom, { node, system, debian }: Contents): Bom {
  const distribution = system ? `&distro=${system.name}-${system.version}` : '';
  const base: Component[] = [
    ...(system
      ? [{ type: 'operating-system', 'bom-ref': `${system.name}@${system.version}`, ...system }]
      : []),
    {
      type: 'application',
      'bom-ref': `pkg:generic/node@${node}`,
      name: 'node',
      version: node,
      purl: `pkg:generic/node@${node}`,
      cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:-:*:*:*`,
    },
    ...debian.map(({ name, version, cpu: of }) => {
      const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${of}${distribution}`;
      return { type: 'library', 'bom-ref': purl, name, version, purl };
    }),
  ];
  return {
    ...bom,
    components: [...bom.components, ...base],
    dependencies: [...bom.dependencies, ...base.map((one) => ({ ref: one['bom-ref'], dependsOn: [] }))],
  };
}
