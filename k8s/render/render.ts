/**
 * Renders a folder of k8s/ as `kubectl kustomize` does, so that tests need no program that npm cannot install. It knows
 * only the features that k8s/ uses, and throws at unknown fields of a kustomization and at label selectors that are not `label=value`.
 * Where kubectl is present, checks/render.test.ts compares the two.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { generated, withHashSuffixes } from './hash-suffixes.ts';
import { type Manifest, mergeStrategically, type Operation, operate, type Values } from './patch.ts';

export const k8sFolder = fileURLToPath(new URL('..', import.meta.url));

const target = z.strictObject({
  kind: z.string(),
  name: z.string().optional(),
  labelSelector: z
    .string()
    .regex(/^[^=!,()\s]+=[^=!,()\s]+$/, 'must be label=value')
    .optional(),
});
type Target = z.infer<typeof target>;

const kustomization = z.strictObject({
  apiVersion: z.string(),
  kind: z.enum(['Kustomization', 'Component']),
  namespace: z.string().optional(),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  labels: z
    .array(
      z.strictObject({
        pairs: z.record(z.string(), z.string()),
        includeTemplates: z.boolean().default(false),
      }),
    )
    .default([]),
  images: z
    .array(
      z.strictObject({
        name: z.string(),
        newName: z.string().optional(),
        newTag: z.string().optional(),
        digest: z.string().optional(),
      }),
    )
    .default([]),
  generatorOptions: z
    .strictObject({
      disableNameSuffixHash: z.boolean().default(false),
      labels: z.record(z.string(), z.string()).optional(),
    })
    .default({ disableNameSuffixHash: false }),
  configMapGenerator: z
    .array(
      z.strictObject({
        name: z.string(),
        behavior: z.literal('merge').optional(),
        literals: z.array(z.string().includes('=')).default([]),
        files: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  patches: z
    .array(
      z.union([z.strictObject({ path: z.string(), target }), z.strictObject({ patch: z.string(), target })]),
    )
    .default([]),
});
type Kustomization = z.infer<typeof kustomization>;

/**
 * @param folder below k8s/, such as `overlays/production`
 * @param o.suffixes whether the names of ConfigMaps end with a hash of their content
 */
export function render(folder: string, root = k8sFolder, o = { suffixes: true }): Manifest[] {
  const all = renderFolder(join(root, folder), []);
  return o.suffixes ? withHashSuffixes(all) : all;
}

function renderFolder(folder: string, soFar: readonly Manifest[]): Manifest[] {
  const o = kustomization.parse(parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')));
  let all = [...soFar, ...o.resources.flatMap((path) => resourcesAt(join(folder, path)))];
  for (const path of o.components) all = renderFolder(join(folder, path), all);
  all = generate(all, o, folder);
  for (const { target, ...patch } of o.patches) {
    const text = 'path' in patch ? readFileSync(join(folder, patch.path), 'utf8') : patch.patch;
    all = patched(all, target, parse(text) as Operation[] | Values);
  }
  return all.map((manifest) => inNamespace(withImages(withLabels(manifest, o), o), o));
}

function resourcesAt(path: string): Manifest[] {
  if (statSync(path).isDirectory()) return renderFolder(path, []);
  return parseAllDocuments(readFileSync(path, 'utf8'), { merge: true })
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

function generate(all: readonly Manifest[], o: Kustomization, folder: string): Manifest[] {
  let result = [...all];
  const { disableNameSuffixHash, labels } = o.generatorOptions;
  for (const { name, behavior, literals, files } of o.configMapGenerator) {
    const data = Object.fromEntries([
      ...literals.map((literal) => [
        literal.slice(0, literal.indexOf('=')),
        literal.slice(literal.indexOf('=') + 1),
      ]),
      ...files.map((file) => [basename(file), readFileSync(join(folder, file), 'utf8')]),
    ]);
    const known = result.find((manifest) => manifest.kind === 'ConfigMap' && manifest.metadata.name === name);
    if ((behavior === 'merge') !== (known !== undefined))
      throw new Error(
        `${folder}: ConfigMap ${name} is ${known === undefined ? 'not there to be merged with' : 'there already'}`,
      );
    const merged = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ...(labels && { labels }) },
      ...known,
      data: { ...(known?.data as object), ...data },
      ...(!disableNameSuffixHash && { [generated]: true }),
    };
    result = known === undefined ? [...result, merged] : result.map((one) => (one === known ? merged : one));
  }
  return result;
}

function patched(all: readonly Manifest[], target: Target, patch: Operation[] | Values): Manifest[] {
  let hits = 0;
  const result = all.flatMap((manifest): Manifest[] => {
    if (!isTarget(manifest, target)) return [manifest];
    hits += 1;
    if (Array.isArray(patch)) return [operate(manifest, patch) as Manifest];
    const { metadata: { name: _, ...metadata } = {}, ...rest } = patch as {
      metadata?: Values;
      $patch?: 'delete';
    };
    if (rest.$patch === 'delete') return [];
    return [mergeStrategically(manifest, { ...rest, metadata }) as Manifest];
  });
  if (hits === 0) throw new Error(`a patch has no target: ${JSON.stringify(target)}`);
  return result;
}

function isTarget({ kind, metadata }: Manifest, target: Target): boolean {
  const [label = '', value] = target.labelSelector?.split('=') ?? [];
  return (
    kind === target.kind &&
    (target.name === undefined || metadata.name === target.name) &&
    (target.labelSelector === undefined || metadata.labels?.[label] === value)
  );
}

const hasTemplate = new Set(['Deployment', 'StatefulSet', 'Job', 'CronJob']);

function withLabels(manifest: Manifest, o: Kustomization): Manifest {
  let result: Values = manifest;
  for (const { pairs, includeTemplates } of o.labels) {
    result = mergeStrategically(result, { metadata: { labels: pairs } });
    if (!includeTemplates || !hasTemplate.has(manifest.kind)) continue;
    const spec = { template: { metadata: { labels: pairs } } };
    const isCronJob = manifest.kind === 'CronJob';
    result = mergeStrategically(result, {
      spec: isCronJob ? { jobTemplate: { metadata: { labels: pairs }, spec } } : spec,
    });
  }
  return result as Manifest;
}

function withImages(manifest: Manifest, o: Kustomization): Manifest {
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => {
        const image =
          key === 'image' ? o.images.find(({ name }) => name === String(child).split(':')[0]) : undefined;
        return [key, image === undefined ? renamed(child) : imageReference(image)];
      }),
    );
  };
  return o.images.length === 0 || !hasTemplate.has(manifest.kind)
    ? manifest
    : { ...manifest, spec: renamed(manifest.spec) };
}

function imageReference({ name, newName = name, newTag, digest }: Kustomization['images'][number]): string {
  return `${newName}${newTag ? `:${newTag}` : ''}${digest ? `@${digest}` : ''}`;
}

function inNamespace(manifest: Manifest, { namespace }: Kustomization): Manifest {
  if (namespace === undefined) return manifest;
  if (manifest.kind === 'Namespace')
    return { ...manifest, metadata: { ...manifest.metadata, name: namespace } };
  const namespaced = { ...manifest, metadata: { ...manifest.metadata, namespace } };
  if (manifest.kind !== 'RoleBinding') return namespaced;
  return {
    ...namespaced,
    subjects: (manifest.subjects as Values[]).map((subject) => Object.assign({}, subject, { namespace })),
  };
}
