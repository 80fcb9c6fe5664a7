/** The renderer of these checks compared with kubectl's kustomize, where that is installed. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../render/patch.ts';
import { k8sFolder, render } from '../render/render.ts';
import { deployed, manifestsOf } from './overlays.ts';

const { stdout: version } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
/** Kustomize 5 is the version that k8s is written for. */
const hasKustomize = /^Kustomize Version: v([5-9]|\d\d)/m.test(version ?? '');

describe('rendering', () => {
  it.each(deployed)('%s is not empty', (folder) => {
    expect(manifestsOf(folder).length).toBeGreaterThan(2);
  });

  it.each(['a=b,c=d', 'a!=b', 'a==b', 'a', 'a in (b)'])('refuses the label selector %s', (labelSelector) => {
    const root = mkdtempSync(join(tmpdir(), 'render-'));
    const patches = [{ patch: '[]', target: { kind: 'Pod', labelSelector } }];
    const kustomization = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', patches };
    writeFileSync(join(root, 'kustomization.yaml'), JSON.stringify(kustomization));
    expect(() => render('.', root)).toThrow('must be label=value');
    rmSync(root, { recursive: true });
  });

  (hasKustomize ? describe : describe.skip)('with kubectl', () => {
    const theirs = new Map<string, Promise<readonly Manifest[]>>();
    // All at the same time, because each mostly waits for its start.
    beforeAll(() => {
      for (const folder of deployed) theirs.set(folder, kustomized(folder));
    });

    it.each(deployed)('%s gives the same objects', async (folder) => {
      expect(comparable(manifestsOf(folder))).toEqual(comparable((await theirs.get(folder)) ?? []));
    });
  });
});

async function kustomized(folder: string): Promise<readonly Manifest[]> {
  const command = ['kustomize', join(k8sFolder, folder)];
  const { stdout } = await promisify(execFile)('kubectl', command, { maxBuffer: 2 ** 24 });
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/** Without the order of objects, and of lists whose items have a key. */
function comparable(manifests: readonly Manifest[]): Record<string, unknown> {
  return Object.fromEntries(
    manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, inOneOrder(manifest)]),
  );
}

function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(inOneOrder);
    const keyOf = (item: unknown) => {
      const { name, mountPath, containerPort } = Object(item) as Record<string, unknown>;
      return String(mountPath ?? containerPort ?? name);
    };
    return items.every((item) => typeof item === 'object')
      ? items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, inOneOrder(of)]));
}
