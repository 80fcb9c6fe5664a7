/**
 * `npm run cluster`: deploys the overlay dev to a cluster as k8s/README.md says, runs the demo, disturbs the cluster under load, and
 * audits what was bought. Ends with a table; status 1 when a request failed in a way that no document allows, when something is lost, or
 * when a job or a NetworkPolicy does not do what it must.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '@offer-ads/backing/find';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { readCommandLine } from '@offer-ads/dev/command-line';
import { devFolder, repository } from '@offer-ads/dev/start/folder';
import { manifestsOf } from '@offer-ads/k8s/checks/overlays';
import { interruption } from '../harness/interruption.ts';
import { underLoad } from '../harness/load/under-load.ts';
import { type ClusterSystem, openClusterSystem } from './cluster-system.ts';
import { faults as faultParts } from './faults.ts';
import { createKubectl, type Kubectl, untilReady } from './kubectl.ts';
import { type Options, readOptions, usage } from './options.ts';
import { type Part, parts, type Step } from './parts.ts';
import { tryPolicies } from './policies.ts';

const say = (line: string) => console.log(line);
const pauseMs = 300;
const warmUpMs = 10_000;
/** How long the audit waits. */
const quietWithinMs = 120_000;
/** Images of stores may have to be pulled. */
const startedWithinMs = 900_000;

type Row = { readonly what: string; readonly seconds: number; readonly note: string };

try {
  const o = readCommandLine(usage, readOptions);
  process.exitCode = (await Promise.race([run(o), interruption()])) === true ? 0 : 1;
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
process.exit();

async function run(o: Options): Promise<boolean> {
  const kubectl = createKubectl(o.kubectl);
  await using opened = new AsyncDisposableStack();
  const rows: Row[] = [];
  const faults: string[] = [];
  const step: Step = async (what, work) => {
    const startedAt = performance.now();
    const note = await work().catch((error: unknown) => {
      faults.push(`${what}: ${reasonOf(error)}`);
      return reasonOf(error);
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    rows.push({ what, seconds, note });
    say(`  ${what}: ${seconds.toFixed(1)} s ${note}`);
  };

  if (o.deploy) await step('deploy', () => deploy(o, kubectl));
  if (faults.length > 0) return printResult(rows, faults);
  await kubectl.run(['scale', 'deployment', `--replicas=${o.replicas}`, ...serviceNames]);
  // Each request of the load names an address of its own, so that all share no limit of requests.
  await kubectl.run([
    'set',
    'env',
    'deployment/gateway',
    'TRUSTED_PROXIES=127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16',
  ]);
  await step('all ready', () => untilReady(kubectl, startedWithinMs));
  const system = await openClusterSystem(opened, kubectl, say);
  if (!system.isDirect)
    say(
      'Services cannot be reached by their addresses from here, so the load goes through kubectl port-forward, which also fails.',
    );
  await step('demo', () => demo(system));
  for (const name of o.parts) {
    const part = parts[name] ?? faultParts[name];
    if (name === 'policies')
      await step('NetworkPolicies', async () => {
        const { tried, wrong } = await tryPolicies(kubectl);
        if (wrong.length > 0) throw new Error(wrong.join('; '));
        return `${tried} pairs tried`;
      });
    else if (name === 'drain' && (await nodes(kubectl)) < 2) say('\nNo node is drained: there is only one.');
    else if (name === 'release' && o.next === undefined)
      say('\nNo other release is tried: --next names none.');
    else if (part !== undefined)
      await disturbed(o, part, { kubectl, system, step, rows, faults }).catch((error: unknown) =>
        faults.push(`${part.title}: ${reasonOf(error)}`),
      );
  }
  return printResult(rows, faults);
}

/** The two commands of k8s/README.md. */
async function deploy(o: Options, kubectl: Kubectl): Promise<string> {
  rmSync(join(devFolder, 'containers'), { recursive: true, force: true });
  if (o.load !== undefined)
    for (const image of images())
      execFileSync('sh', ['-c', o.load.replaceAll('{}', image)], { stdio: 'inherit' });
  const secrets = execFileSync(process.execPath, ['k8s/dev-secrets.ts'], {
    cwd: repository,
    encoding: 'utf8',
  });
  await kubectl.run(['create', '--filename', '-'], secrets);
  await kubectl.run(['apply', '--kustomize', 'k8s/overlays/dev']);
  return '';
}

/** Of all pods of the overlay. */
function images(): string[] {
  const text = JSON.stringify(manifestsOf('overlays/dev'));
  return [...new Set([...text.matchAll(/"image":"([^"]+)"/g)].map(([, image = '']) => image))];
}

async function demo(system: ClusterSystem): Promise<string> {
  const child = spawn(process.execPath, ['dev/demo.ts', '--containers'], {
    cwd: repository,
    env: { ...process.env, ...system.adminSettings() },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`status ${status}`);
  return '';
}

async function nodes({ json }: Kubectl): Promise<number> {
  return (await json<{ items: unknown[] }>('get', 'nodes')).items.length;
}

type Trial = {
  readonly kubectl: Kubectl;
  readonly system: ClusterSystem;
  readonly step: Step;
  readonly rows: Row[];
  readonly faults: string[];
};

async function disturbed(
  o: Options,
  part: Part,
  { kubectl, system, step, rows, faults }: Trial,
): Promise<void> {
  say(`\n${part.title}`);
  const startedAt = performance.now();
  const { tally, ...found } = await underLoad(system, {
    buyers: o.advertisers,
    pauseMs,
    warmUpMs,
    // What `kubectl port-forward` loses with a pod is not the system's fault.
    allowance: system.isDirect ? part.allowance : { refused: true, broken: true },
    quietWithinMs,
    disturb: (tally) => part.disturb(kubectl, step, o, tally),
    say,
  });
  const failed = part.refuses === true ? found.problems : found.failed;
  faults.push(...failed.map((problem) => `${part.title}: ${problem}`));
  const note = `${tally.requests()} requests, ${tally.unanswered()} without an answer, ${tally.delayed()} told to wait; ${failed.length} faults`;
  rows.push({ what: part.title, seconds: (performance.now() - startedAt) / 1_000, note });
}

function printResult(rows: readonly Row[], faults: readonly string[]): boolean {
  say('\n| | seconds | |\n| --- | ---: | --- |');
  for (const { what, seconds, note } of rows) say(`| ${what} | ${seconds.toFixed(1)} | ${note} |`);
  for (const fault of faults) say(`\nFAULT: ${fault}`);
  say(faults.length === 0 ? '\nAll is as it must be.' : `\n${faults.length} faults.`);
  return faults.length === 0;
}
