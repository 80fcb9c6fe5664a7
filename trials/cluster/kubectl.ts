/** kubectl, in the namespace of the overlay dev. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { repository } from '@offer-ads/dev/start/folder';
import { devNamespace } from '@offer-ads/k8s/secrets-of-dev';

export type Kubectl = {
  /** Returns what it printed; throws what it said when its status is not 0. `input`: what it reads. */
  readonly run: (args: readonly string[], input?: string) => Promise<string>;
  readonly json: <T>(...args: readonly string[]) => Promise<T>;
  /** The command line of a call that goes on. */
  readonly command: (...args: readonly string[]) => readonly [program: string, args: string[]];
};

export function createKubectl([program = 'kubectl', ...first]: readonly string[]): Kubectl {
  const command: Kubectl['command'] = (...args) => [
    program,
    [...first, '--namespace', devNamespace, ...args],
  ];
  const run: Kubectl['run'] = async (args, input) => {
    const child = spawn(...command(...args), { cwd: repository, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const ended = once(child, 'close');
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [status] = (await ended) as [number | null];
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${complaint.trim() || `status ${status}`}`);
    return said;
  };
  return { run, command, json: async (...args) => JSON.parse(await run([...args, '--output', 'json'])) };
}

type Metadata = {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
};
type Replicated = {
  readonly metadata: Metadata & { readonly generation: number };
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  };
  readonly status: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
  };
};
type Pod = {
  readonly metadata: Metadata;
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

/**
 * Names of Deployments and StatefulSets that do not have all their replicas, new and ready. Pods are looked at themselves: a status tells
 * of a pod that was killed only some time later.
 */
export async function unready({ json }: Kubectl): Promise<string[]> {
  const [{ items }, { items: pods }] = await Promise.all([
    json<{ items: readonly Replicated[] }>('get', 'deployments,statefulsets'),
    json<{ items: readonly Pod[] }>('get', 'pods'),
  ]);
  const ready = pods.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
  );
  return items
    .filter(({ metadata, spec, status }) => {
      const labels = Object.entries(spec.selector.matchLabels);
      const own = ready.filter((pod) => labels.every(([key, value]) => pod.metadata.labels?.[key] === value));
      const { observedGeneration, replicas = 0, updatedReplicas = 0 } = status;
      const counts = [own.length, replicas, updatedReplicas];
      return observedGeneration !== metadata.generation || counts.some((count) => count !== spec.replicas);
    })
    .map(({ metadata }) => metadata.name);
}

/** Resolves when all is ready, with what was last. Throws what is not after `withinMs`. */
export async function untilReady(kubectl: Kubectl, withinMs: number): Promise<string> {
  const endsAt = performance.now() + withinMs;
  for (let last: readonly string[] = []; ; ) {
    const left = await unready(kubectl);
    if (left.length === 0) return last.length === 0 ? '' : `last: ${last.join(', ')}`;
    last = left;
    if (performance.now() > endsAt)
      throw new Error(`not ready after ${withinMs / 1_000} s: ${left.join(', ')}`);
    await pause(500);
  }
}
