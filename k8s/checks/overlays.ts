/** What is deployed from k8s/, folder by folder. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';
import { parse, stringify } from 'yaml';
import type { Manifest } from '../render/patch.ts';
import { render } from '../render/render.ts';

/** Every folder that somebody hands to `kubectl apply -k`. */
export const deployed = [
  'overlays/dev',
  'overlays/staging/stores',
  'overlays/staging/migrations',
  'overlays/staging',
  'overlays/production/stores',
  'overlays/production/migrations',
  'overlays/production',
  'overlays/production/restore',
  'overlays/production/restore/mongo',
] as const;

export const overlays = ['dev', 'staging', 'production'] as const;
export type Overlay = (typeof overlays)[number];

const rendered = new Map<string, readonly Manifest[]>();

export function manifestsOf(folder: (typeof deployed)[number]): readonly Manifest[] {
  const known = rendered.get(folder) ?? render(folder);
  rendered.set(folder, known);
  return known;
}

/** All that an overlay brings to its namespace, but what a restore needs for a while. */
export function wholeOf(overlay: Overlay): readonly Manifest[] {
  return deployed
    .filter((folder) => folder.split('/')[1] === overlay && folder.split('/')[2] !== 'restore')
    .flatMap((folder) => manifestsOf(folder));
}

/** A copy of the manifests, to be changed as k8s/README.md says. */
export type ManifestsCopy = Disposable & {
  readonly folder: string;
  /** Changes `kustomization.yaml` of a folder, such as `overlays/production`. */
  readonly change: <Kustomization extends object>(
    folder: string,
    change: (before: Kustomization) => Kustomization,
  ) => void;
  readonly render: (folder: string) => readonly Manifest[];
};

export function copyManifests(): ManifestsCopy {
  const copy = mkdtempSync(join(tmpdir(), 'manifests-'));
  for (const part of ['k8s', 'deploy/monitoring'])
    cpSync(join(repository, part), join(copy, part), { recursive: true });
  const folder = join(copy, 'k8s');
  return {
    folder,
    change: (of, change) => {
      const file = join(folder, of, 'kustomization.yaml');
      writeFileSync(file, stringify(change(parse(readFileSync(file, 'utf8')))));
    },
    render: (of) => render(of, folder),
    [Symbol.dispose]: () => rmSync(copy, { recursive: true }),
  };
}

/** Changes production as k8s/README.md says for managed stores. */
export function onManagedStores(copy: ManifestsCopy): void {
  type Folder = { resources: string[]; components?: string[] };
  copy.change<Folder>('overlays/production/stores', ({ resources, ...rest }) => ({
    ...rest,
    resources: resources.filter((path) => !path.endsWith('stores/operators')),
    components: ['../../../components/external-secrets', '../../../components/managed-stores/secrets'],
  }));
  copy.change<Folder>('overlays/production/migrations', ({ components = [], ...rest }) => ({
    ...rest,
    components: [...components, '../../../components/managed-stores/migrations'],
  }));
  copy.change<Folder>('overlays/production', ({ components = [], ...rest }) => ({
    ...rest,
    components: [
      ...components.map((path) => path.replace('autoscaling-keda', 'autoscaling-cpu')),
      '../../components/managed-stores',
    ],
  }));
}
