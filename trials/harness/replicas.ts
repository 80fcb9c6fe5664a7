/** The replicas of each service behind its balancer. They are started, retired and killed one by one. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@offer-ads/backing/free-port';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import type { ProcessPlan } from '@offer-ads/dev/start/plans';
import type { Ports } from '@offer-ads/dev/start/ports';
import type { Supervisor } from '@offer-ads/dev/start/supervisor';
import { type Balancer, startBalancer } from './balancer.ts';

/** 30 s for the process (packages/platform/src/process/process.ts), 3 s for its last spans, 1 s for a busy machine. */
const stopWithinMs = 34_000;

export type Replica = {
  readonly name: string;
  readonly service: ServiceName;
  readonly port: number;
  readonly adminPort: number;
};

export type Replicas = AsyncDisposable & {
  readonly of: (service: ServiceName) => readonly Replica[];
  /** Resolves when it gets connections. */
  readonly add: (service: ServiceName, code?: string) => Promise<Replica>;
  /** Ends it as Kubernetes ends a pod: no new connections, a pause, SIGTERM. Returns how many ms the process took. */
  readonly retire: (replica: Replica) => Promise<number>;
  /** By SIGKILL; the supervisor starts it again. */
  readonly kill: (replica: Replica) => void;
};

export function createReplicas(o: {
  /** The plan of its next replica. */
  plan: (service: ServiceName) => ProcessPlan;
  /** The ports of the balancers; undefined in a system without replicas. */
  ports: Ports | undefined;
  supervisor: Supervisor;
  preStopMs: number;
}): Replicas {
  const { supervisor, ports } = o;
  const running: Replica[] = [];
  const balancers = new Map<ServiceName, readonly [api: Balancer, admin: Balancer]>(
    ports === undefined
      ? []
      : serviceNames.map((service) => [
          service,
          [startBalancer(ports[service]), startBalancer(ports[`${service}Admin`])],
        ]),
  );
  const made = new Map<ServiceName, number>();
  const balancersOf = (service: ServiceName) => balancers.get(service) as readonly [Balancer, Balancer];

  return {
    of: (service) => running.filter((replica) => replica.service === service),
    add: async (service, code = repository) => {
      const plan = o.plan(service);
      const [port, adminPort] = await freePorts(2);
      if (port === undefined || adminPort === undefined) throw new Error(`no port for ${service}`);
      const number = (made.get(service) ?? 0) + 1;
      made.set(service, number);
      const replica = { name: `${service}-${number}`, service, port, adminPort };
      try {
        await supervisor.start(planOf(plan, replica, code));
      } catch (error) {
        await supervisor.stop([replica.name]);
        throw error;
      }
      running.push(replica);
      const [api, admin] = balancersOf(service);
      await Promise.all([api.add(port), admin.add(adminPort)]);
      return replica;
    },
    retire: async (replica) => {
      const [api, admin] = balancersOf(replica.service);
      api.remove(replica.port);
      admin.remove(replica.adminPort);
      running.splice(running.indexOf(replica), 1);
      await pause(o.preStopMs);
      const startedAt = performance.now();
      await supervisor.stop([replica.name], 'SIGTERM');
      const tookMs = performance.now() - startedAt;
      if (tookMs > stopWithinMs) throw new Error(`${replica.name} did not stop in time`);
      return tookMs;
    },
    kill: (replica) => {
      const pid = supervisor.pids()[replica.name];
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    },
    [Symbol.asyncDispose]: async () => {
      const all = running.map(({ name }) => name);
      await supervisor.stop(all.filter((name) => name.startsWith('gateway')));
      await supervisor.stop(all.filter((name) => !name.startsWith('gateway')));
      await Promise.all([...balancers.values()].flat().map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** The plan of the service with the replica's own port and code. */
function planOf(plan: ProcessPlan, { name, port, adminPort }: Replica, code: string): ProcessPlan {
  const inCode = (argument: string) =>
    argument === '@offer-ads/platform/telemetry/telemetry'
      ? join(code, 'packages/platform/src/telemetry/telemetry.ts')
      : argument.replace(repository, `${code}/`);
  return {
    name,
    args: plan.args.map(inCode),
    env: { ...plan.env, PORT: `${port}`, ADMIN_PORT: `${adminPort}` },
    readyUrl: `http://127.0.0.1:${port}/readyz`,
  };
}
