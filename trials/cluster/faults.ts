/** Faults of machines, each for a minute while advertisers buy. A note says after how many more seconds the last request was refused. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import type { Tally } from '../harness/load/tally.ts';
import { type Kubectl, untilReady } from './kubectl.ts';
import type { Options, PartName } from './options.ts';
import { killed, type Part, podOf, readyWithinMs, rolledOut } from './parts.ts';

/** Less than a caller goes on trying (harness/load/retrying-caller.ts). */
const faultMs = 60_000;
/** All is served again when nothing was refused for so long. */
const quietMs = 20_000;

export const faults: Readonly<Partial<Record<PartName, Part>>> = {
  memory: {
    title: 'A pod is out of memory',
    allowance: killed,
    disturb: async (kubectl, step) => {
      for (const service of ['offers', 'billing', 'moderation'])
        await step(`out of memory: ${service}`, () => exhaustMemory(kubectl, service));
    },
  },
  clock: {
    title: 'The clocks of five services are five minutes fast',
    allowance: killed,
    // Signed callers expire, and an offer that starts now starts in the past.
    refuses: true,
    disturb: async (kubectl, step, { faketime = '' }) => {
      const library = readFileSync(faketime).toString('base64');
      await kubectl.run(['apply', '--filename', '-'], JSON.stringify(faketimeAs(library)));
      // One is right, as where the clock of one machine of several is wrong.
      const services = serviceNames.filter((name) => name !== 'offers');
      const rollAll = async (args: (deployment: string) => readonly string[]) => {
        await Promise.all(services.map((service) => kubectl.run(args(`deployment/${service}`))));
        for (const service of services) await rolledOut(kubectl, service);
      };
      try {
        await step('five minutes fast', async () => {
          await rollAll((deployment) => ['patch', deployment, '--patch', JSON.stringify(fast)]);
          await pause(faultMs);
          const pod = await podOf(kubectl, 'app.kubernetes.io/name=billing');
          const now = await kubectl.run(['exec', pod, '--', 'node', '--print', 'Date.now()']);
          return `billing's clock is ${Math.round((Number(now) - Date.now()) / 1_000)} s fast`;
        });
      } finally {
        await step('back', async () => {
          await rollAll((deployment) => ['rollout', 'undo', deployment]);
          return untilReady(kubectl, readyWithinMs);
        });
      }
    },
  },
  network: {
    title: "The pods' network is away for a minute",
    allowance: killed,
    disturb: (kubectl, step, o, tally) => step('no network', () => broken(o.network, kubectl, tally)),
  },
  disk: {
    title: 'The disk of Postgres is full for a minute',
    allowance: killed,
    disturb: (kubectl, step, o, tally) => step('full disk', () => broken(o.disk, kubectl, tally)),
  },
};

async function broken(command: Options['disk'], kubectl: Kubectl, tally: Tally): Promise<string> {
  const call = (argument: 'break' | 'mend') =>
    execFileSync('sh', ['-c', `${command} ${argument}`], { cwd: repository, stdio: 'inherit' });
  const mend = () => call('mend');
  // Also when the trial is interrupted.
  process.once('exit', mend);
  try {
    call('break');
    await pause(faultMs);
  } finally {
    process.off('exit', mend);
    mend();
  }
  const mendedAt = performance.now();
  await untilReady(kubectl, readyWithinMs);
  const giveUpAt = performance.now() + readyWithinMs;
  const sinceRefusedMs = () => performance.now() - Math.max(tally.lastRefusedAt() ?? 0, mendedAt);
  while (sinceRefusedMs() < quietMs && performance.now() < giveUpAt) await pause(500);
  const seconds = Math.max(0, (tally.lastRefusedAt() ?? 0) - mendedAt) / 1_000;
  return `the last request was refused ${seconds.toFixed(1)} s after it was mended`;
}

/** Many small processes fill the memory of the container. The kernel then ends the largest, which is the service. */
async function exhaustMemory(kubectl: Kubectl, service: string): Promise<string> {
  const pod = await podOf(kubectl, `app.kubernetes.io/name=${service},app.kubernetes.io/component=service`);
  await kubectl
    .run(['exec', '--stdin', pod, '--', 'node', '--input-type=commonjs', '-'], hogs)
    .catch(() => {});
  type Ended = { lastState: { terminated?: { reason: string } } };
  const { status } = await kubectl.json<{ status: { containerStatuses: readonly Ended[] } }>(
    'get',
    'pod',
    pod,
  );
  const reason = status.containerStatuses[0]?.lastState.terminated?.reason;
  const note = await untilReady(kubectl, readyWithinMs);
  if (reason !== 'OOMKilled') throw new Error(`${pod} was not out of memory: ${reason ?? 'it runs'}`);
  return note;
}

const hogs = `const grow = 'const held = []; setInterval(() => process.memoryUsage.rss() < 7e7 && held.push(Buffer.alloc(1e6, 1)), 20)';
for (let n = 0; n < 60; n += 1) setTimeout(() => require('node:child_process').spawn(process.execPath, ['-e', grow]), n * 200);
setTimeout(() => process.exit(), 30_000);`;

const faketimeAs = (library: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'faketime' },
  binaryData: { 'libfaketime.so': library },
});

const fast = {
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'service',
            env: [
              { name: 'LD_PRELOAD', value: '/etc/faketime/libfaketime.so' },
              { name: 'FAKETIME', value: '+300s' },
              { name: 'FAKETIME_DONT_FAKE_MONOTONIC', value: '1' },
            ],
            volumeMounts: [{ name: 'faketime', mountPath: '/etc/faketime', readOnly: true }],
          },
        ],
        volumes: [{ name: 'faketime', configMap: { name: 'faketime' } }],
      },
    },
  },
};
