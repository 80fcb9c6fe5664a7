/** Tries, from inside each pod of ours, every address that another pod listens on, and compares it with the NetworkPolicies. */
import { allowed } from '@offer-ads/k8s/checks/network-policies';
import { workloadsOf } from '@offer-ads/k8s/checks/workloads';
import type { Kubectl } from './kubectl.ts';

const namesOfStores: Readonly<Record<string, string>> = {
  'postgres-rw': 'postgres',
  'mongo-svc': 'mongo',
};
const waitMs = 3_000;

type Pods = {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly deletionTimestamp?: string;
    };
  }[];
};
type Services = {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly ports: readonly { readonly port: number }[] };
  }[];
};

/** One sentence for each pair that is open and must be shut, or the other way round. `tried` counts the pairs. */
export async function tryPolicies(kubectl: Kubectl): Promise<{ tried: number; wrong: string[] }> {
  const open = new Set(allowed('dev', 'egress'));
  const [{ items: pods }, { items: services }] = await Promise.all([
    kubectl.json<Pods>('get', 'pods', '--field-selector', 'status.phase=Running'),
    kubectl.json<Services>('get', 'services'),
  ]);
  const targets = services.flatMap(({ metadata: { name }, spec }) =>
    spec.ports.map(({ port }) => ({ host: name, port })),
  );
  const wrong: string[] = [];
  let tried = 0;
  // Only our own images contain Node.
  const callers = workloadsOf('dev').filter(
    ({ kind, pod }) =>
      kind === 'Deployment' && pod.containers.every(({ image }) => image.includes('offer-ads/')),
  );
  for (const { name } of callers) {
    const pod = pods.find(
      ({ metadata: { labels, deletionTimestamp } }) =>
        labels['app.kubernetes.io/name'] === name && deletionTimestamp === undefined,
    );
    if (pod === undefined) continue;
    const others = targets.filter(({ host }) => host !== name);
    const said = await kubectl.run(
      ['exec', '--stdin', pod.metadata.name, '--', 'node', '--input-type=commonjs', '-'],
      probe(others),
    );
    const reached = new Set(said.trim().split('\n'));
    for (const { host, port } of others) {
      tried += 1;
      const arrow = `${name} -> ${namesOfStores[host] ?? host}:${port}`;
      const [isReached, mustBe] = [reached.has(`${host}:${port}`), open.has(arrow)];
      if (isReached !== mustBe) wrong.push(`${arrow} is ${isReached ? 'open' : 'shut'}`);
    }
  }
  return { tried, wrong };
}

function probe(targets: readonly object[]): string {
  return `for (const { host, port } of ${JSON.stringify(targets)}) {
  const socket = require('node:net').connect({ host, port, timeout: ${waitMs} });
  socket.on('connect', () => { console.log(host + ':' + port); socket.destroy(); });
  socket.on('timeout', () => socket.destroy());
  socket.on('error', () => {});
}`;
}
