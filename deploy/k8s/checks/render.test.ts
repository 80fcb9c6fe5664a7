/** The renderer for tests against the real one, where that is installed. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../render/patch.ts';
import { k8sFolder, render } from '../render/render.ts';
import { hasKustomize } from './kubectl.ts';
import { deployed } from './overlays.ts';

describe('rendering', () => {
  it.each(deployed)('%s is not empty', (folder) => {
    expect(render(folder).length).toBeGreaterThan(2);
  });

  if (hasKustomize)
    it.each(deployed)('%s is what kubectl makes of it', (folder) => {
      const text = execFileSync('kubectl', ['kustomize', join(k8sFolder, folder)], { encoding: 'utf8' });
      const theirs = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
      expect(comparable(render(folder))).toEqual(comparable(theirs));
    });
});

/** Neither the order of objects nor that of lists which are told apart by a key means anything. */
function comparable(manifests: readonly Manifest[]): Record<string, unknown> {
  return Object.fromEntries(
    manifests.map((manifest) => {
      const { kind, metadata } = manifest;
      return [`${kind} ${metadata.name}`, inOneOrder(manifest)];
    }),
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
