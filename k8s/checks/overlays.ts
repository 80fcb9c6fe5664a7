/** What is deployed from k8s/, folder by folder. */
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
