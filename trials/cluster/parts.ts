/** What happens to the cluster, part by part, while advertisers buy. */
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { manifestsOf } from '@offer-ads/k8s/checks/overlays';
import type { Allowance } from '../harness/load/retrying-caller.ts';
import type { Tally } from '../harness/load/tally.ts';
import { type Kubectl, untilReady } from './kubectl.ts';
import type { Options, PartName } from './options.ts';

export type Part = {
  readonly title: string;
  readonly allowance: Allowance;
  /** Requests may be refused in any way; only what is lost, doubled or unsound counts. */
  readonly refuses?: boolean;
  /** `step` measures the seconds of one disturbance until all is ready again. */
  readonly disturb: (kubectl: Kubectl, step: Step, o: Options, tally: Tally) => Promise<void>;
};
/** What the work returns is a note beside its seconds. */
export type Step = (name: string, work: () => Promise<string>) => Promise<void>;

export const readyWithinMs = 300_000;
const stores = ['postgres', 'rabbitmq', 'mongo'] as const;
const nothing: Allowance = { refused: false, broken: false };
export const killed: Allowance = { refused: true, broken: true };
const releases = 'app.kubernetes.io/part-of=offer-ads';

/** The name of one pod. */
export async function podOf({ json }: Kubectl, labels: string): Promise<string> {
  const { items } = await json<{ items: { metadata: { name: string } }[] }>(
    'get',
    'pods',
    '--selector',
    labels,
  );
  const [pod] = items;
  if (pod === undefined) throw new Error(`there is no pod with ${labels}`);
  return pod.metadata.name;
}

const kill = (kubectl: Kubectl, ...pods: string[]) =>
  kubectl.run(['delete', 'pod', ...pods, '--grace-period=0', '--force']);

export const parts: Readonly<Partial<Record<PartName, Part>>> = {
  rolling: {
    title: 'Rolling restart of each service',
    allowance: nothing,
    disturb: async (kubectl, step, { requests }, tally) => {
      do
        for (const service of serviceNames)
          await step(`restart ${service}`, async () => {
            await kubectl.run(['rollout', 'restart', `deployment/${service}`]);
            await rolledOut(kubectl, service);
            return '';
          });
      while (tally.requests() < requests);
    },
  },
  kills: {
    title: 'A pod of each service is killed',
    allowance: killed,
    disturb: async (kubectl, step) => {
      for (const service of serviceNames)
        await step(`kill ${service}`, async () => {
          const labels = `app.kubernetes.io/name=${service},app.kubernetes.io/component=service`;
          await kill(kubectl, await podOf(kubectl, labels));
          return untilReady(kubectl, readyWithinMs);
        });
    },
  },
  stores: {
    title: 'The pod of each store is deleted',
    allowance: killed,
    disturb: async (kubectl, step) => {
      for (const store of stores)
        await step(`delete ${store}`, async () => {
          await kubectl.run(['delete', 'pod', `${store}-0`]);
          return untilReady(kubectl, readyWithinMs);
        });
      await step('delete valkey', async () => {
        await kubectl.run(['delete', 'pod', await podOf(kubectl, 'app.kubernetes.io/name=valkey')]);
        return untilReady(kubectl, readyWithinMs);
      });
    },
  },
  everything: {
    title: 'All services and stores are killed at once',
    allowance: killed,
    disturb: async (kubectl, step) =>
      step('kill all', async () => {
        const { items } = await kubectl.json<{ items: { metadata: { name: string; labels: object } }[] }>(
          'get',
          'pods',
          '--selector',
          // Simulators stand for systems elsewhere.
          'app.kubernetes.io/component!=simulator',
          '--field-selector',
          'status.phase=Running',
        );
        await kill(kubectl, ...items.map(({ metadata }) => metadata.name));
        return untilReady(kubectl, readyWithinMs);
      }),
  },
  drain: {
    title: 'A node is drained',
    allowance: nothing,
    disturb: async (kubectl, step) => {
      const node = await kubectl.run([
        'get',
        'pod',
        await podOf(kubectl, 'app.kubernetes.io/name=gateway'),
        '--output',
        'jsonpath={.spec.nodeName}',
      ]);
      await step(`drain ${node}`, async () => {
        try {
          await kubectl.run([
            'drain',
            node,
            '--ignore-daemonsets',
            '--delete-emptydir-data',
            '--pod-selector',
            releases,
          ]);
        } finally {
          await kubectl.run(['uncordon', node]);
        }
        return untilReady(kubectl, readyWithinMs);
      });
    },
  },
  jobs: {
    title: 'Migrations again, and each scheduled job once',
    allowance: nothing,
    disturb: async (kubectl, step) => {
      await step('migrations', () => migrate(kubectl, undefined));
      const { items } = await kubectl.json<{ items: { metadata: { name: string } }[] }>('get', 'cronjobs');
      for (const { metadata } of items)
        await step(metadata.name, async () => {
          const job = `${metadata.name}-trial`;
          await kubectl.run(['delete', 'job', job, '--ignore-not-found']);
          await kubectl.run(['create', 'job', job, `--from=cronjob/${metadata.name}`]);
          return complete(kubectl, job);
        });
    },
  },
  // As k8s/README.md says for a release. The way back leaves the databases as they are.
  release: {
    title: 'The next release, and back',
    allowance: nothing,
    disturb: async (kubectl, step, { next }) => {
      const tag = await tagOf(kubectl);
      await step('migrate to the next release', () => migrate(kubectl, next));
      await step('the next release', () => roll(kubectl, next ?? tag));
      await step('back', () => roll(kubectl, tag));
    },
  },
};

const migrations = 'app.kubernetes.io/component=migration';

/** @param tag of the images; as they are deployed, unless given */
async function migrate(kubectl: Kubectl, tag: string | undefined): Promise<string> {
  const jobs = manifestsOf('overlays/dev').filter(({ kind }) => kind === 'Job');
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: jobs });
  await kubectl.run(['delete', 'jobs', '--selector', migrations]);
  await kubectl.run(
    ['create', '--filename', '-'],
    tag === undefined ? text : text.replaceAll(/("image":"[^"]+):[^":]+"/g, `$1:${tag}"`),
  );
  return complete(kubectl, '--selector', migrations);
}

async function tagOf({ run }: Kubectl): Promise<string> {
  const path = 'jsonpath={.spec.template.spec.containers[0].image}';
  return (await run(['get', 'deployment/gateway', '--output', path])).split(':').at(-1) ?? '';
}

/** All services to the images with that tag, one pod of each after the other. */
async function roll(kubectl: Kubectl, tag: string): Promise<string> {
  for (const service of serviceNames) {
    const image = `offer-ads/${service}:${tag}`;
    await kubectl.run(['set', 'image', `deployment/${service}`, `service=${image}`]);
  }
  for (const service of serviceNames) await rolledOut(kubectl, service);
  return untilReady(kubectl, readyWithinMs);
}

export const rolledOut = ({ run }: Kubectl, service: string) =>
  run(['rollout', 'status', `deployment/${service}`, '--timeout=300s']);

async function complete(kubectl: Kubectl, ...which: string[]): Promise<string> {
  const names = which.length === 1 ? which.map((name) => `job/${name}`) : ['job', ...which];
  await kubectl.run(['wait', '--for=condition=Complete', '--timeout=180s', ...names]);
  return '';
}
