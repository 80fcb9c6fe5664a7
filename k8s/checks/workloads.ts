/** The pods of an overlay, and the environment of their containers. */
import type { Manifest } from '../render/patch.ts';
import { secretsOfDev } from '../secrets-of-dev.ts';
import { type Overlay, overlays, wholeOf } from './overlays.ts';
import { externalSecrets, type LookUp, secretData } from './secrets.ts';

type Named = { readonly name: string };
export type Container = Named & {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly (Named & {
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: Named & { readonly key: string } };
  })[];
  readonly envFrom?: readonly { readonly configMapRef?: Named; readonly secretRef?: Named }[];
  readonly ports?: readonly (Named & { readonly containerPort: number })[];
  readonly resources: {
    readonly requests: Readonly<Record<string, string>>;
    readonly limits: Readonly<Record<string, string>>;
  };
  readonly securityContext: object;
  readonly volumeMounts?: readonly (Named & { readonly mountPath: string; readonly readOnly?: boolean })[];
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly [probe: `${string}Probe`]:
    | { readonly httpGet?: { readonly path: string; readonly port: string | number } }
    | undefined;
};
export type PodSpec = {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly (Named & {
    readonly secret?: { readonly secretName: string; readonly items?: readonly { readonly key: string }[] };
    readonly persistentVolumeClaim?: { readonly claimName: string };
  })[];
};
export type Labels = Readonly<Record<string, string>>;
export type Workload = {
  readonly kind: string;
  readonly name: string;
  readonly labels: Labels;
  readonly manifest: Manifest;
  readonly pod: PodSpec;
};
type Template = { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };

export function workloadsOf(overlay: Overlay): Workload[] {
  return workloadsIn(wholeOf(overlay));
}

export function workloadsIn(manifests: readonly Manifest[]): Workload[] {
  return manifests.flatMap((manifest) => {
    const template = templateOf(manifest);
    if (template === undefined) return [];
    const { kind, metadata } = manifest;
    return [{ kind, name: metadata.name, labels: template.metadata.labels, manifest, pod: template.spec }];
  });
}

/** Every pod of every overlay, with a name for messages. */
export function everyWorkload(): (readonly [name: string, one: Workload])[] {
  return overlays.flatMap((overlay) =>
    workloadsOf(overlay).map((one) => [`${overlay} ${one.kind} ${one.name}`, one] as const),
  );
}

/** Checks each item; an error names the item. */
export function checkEach<Item>(
  items: readonly (readonly [name: string, item: Item])[],
  check: (item: Item, name: string) => void,
): void {
  if (items.length === 0) throw new Error('there is nothing to check');
  for (const [name, item] of items)
    try {
      check(item, name);
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
    }
}

export function workload(overlay: Overlay, name: string): Workload {
  const found = workloadsOf(overlay).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${overlay} runs no ${name}`);
  return found;
}

export function containersOf({ pod }: Workload): Container[] {
  return [...pod.containers, ...(pod.initContainers ?? [])];
}

function templateOf({ kind, spec }: Manifest): Template | undefined {
  if (kind === 'CronJob')
    return (spec as { jobTemplate: { spec: { template: Template } } }).jobTemplate.spec.template;
  if (['Deployment', 'StatefulSet', 'Job'].includes(kind)) return (spec as { template: Template }).template;
  return undefined;
}

/** An example of the content of the store of secrets. */
export const sampleSecret: LookUp = (key, property) => {
  if (key === 'offer-ads/admin-token-hashes' || property === 'break-glass')
    return `ann:${'0123456789abcdef'.repeat(4)}`;
  if (property.endsWith('webhook-secret')) return 'whsec_0123456789abcdef';
  if (property.endsWith('secret-key')) return `sk_${property.slice(0, 4)}_0123456789abcdef`;
  if (property === 'url') return 'smtps://user:password@mail.example:465';
  return '0123456789abcdef0123456789abcdef';
};

export type SecretData = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The Secrets that External Secrets would make from `sampleSecret`. */
export const sampleSecrets: SecretData = Object.fromEntries(
  externalSecrets().map((external) => [external.spec.target.name, secretData(external, sampleSecret)]),
);
const madeForDev: SecretData = Object.fromEntries(
  secretsOfDev().map(({ metadata, stringData }) => [metadata.name, stringData]),
);

export function secretsIn(overlay: Overlay): SecretData {
  return overlay === 'dev' ? madeForDev : sampleSecrets;
}

export function environmentOf(overlay: Overlay, workload: Workload): Record<string, string> {
  return environmentIn(wholeOf(overlay), secretsIn(overlay), workload);
}

/** The environment that kubelet gives the first container. */
export function environmentIn(
  manifests: readonly Manifest[],
  secrets: SecretData,
  { name, pod }: Workload,
): Record<string, string> {
  const [container] = pod.containers;
  const maps = manifests.filter(({ kind }) => kind === 'ConfigMap');
  const all = (container?.envFrom ?? []).map(({ configMapRef, secretRef }) => {
    const data =
      configMapRef === undefined
        ? secrets[secretRef?.name ?? '']
        : maps.find(({ metadata }) => metadata.name === configMapRef.name)?.data;
    if (data === undefined) throw new Error(`${name}: there is no ${configMapRef?.name ?? secretRef?.name}`);
    return data as Record<string, string>;
  });
  const single = (container?.env ?? []).map(({ name: variable, value, valueFrom }) => {
    const { name: secret = '', key = '' } = valueFrom?.secretKeyRef ?? {};
    const found = value ?? secrets[secret]?.[key];
    if (found === undefined) throw new Error(`${name}: ${variable} has no value`);
    return [variable, found];
  });
  return { ...Object.assign({}, ...all), ...Object.fromEntries(single) };
}
