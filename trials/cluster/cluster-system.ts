/** The system in the cluster, as the load and the audit of all trials know a system. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePorts } from '@offer-ads/backing/free-port';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { provideDemoData } from '@offer-ads/dev/demo-data';
import { createAdminClient } from '@offer-ads/dev/demo-data/admin-client';
import { devFolder } from '@offer-ads/dev/start/folder';
import { adminToolOf } from '../harness/admin-tool.ts';
import type { System } from '../harness/system.ts';
import { type Forward, openForwards } from './forwards.ts';
import type { Kubectl } from './kubectl.ts';

export type ClusterSystem = Pick<System, 'admin' | 'callAdmin' | 'state' | 'stores' | 'adminSettings'> & {
  /** Whether the load reaches the Service of the gateway itself, so that each failed request is the system's. */
  readonly isDirect: boolean;
};

/** Where links of the overlay dev lead (PUBLIC_URL and others). */
const linkedPorts = {
  gateway: 8080,
  billing: 8081,
  offers: 8082,
  'mail-simulator': 8025,
  'stripe-simulator': 12111,
};

export async function openClusterSystem(
  opened: AsyncDisposableStack,
  kubectl: Kubectl,
  say: (line: string) => void,
): Promise<ClusterSystem> {
  const [postgres = 0, rabbitmq = 0, ...adminPorts] = await freePorts(2 + serviceNames.length);
  const adminForwards = serviceNames.map((service, index) => ({
    service,
    servicePort: 9080,
    localPort: adminPorts[index] ?? 0,
  }));
  const forwards: Forward[] = [
    ...Object.entries(linkedPorts).map(([service, localPort]) => ({ service, servicePort: 8080, localPort })),
    ...adminForwards,
    { service: 'postgres-rw', servicePort: 5432, localPort: postgres },
    { service: 'rabbitmq', servicePort: 5672, localPort: rabbitmq },
  ];
  const isDirect = await openForwards(opened, kubectl, forwards);

  const at = (port: number) => `http://localhost:${port}`;
  const stores = {
    databases: await databasesAt(kubectl, postgres),
    mongo: { pricing: '', moderation: '', notifier: '' },
    rabbitmq: await brokerAt(kubectl, rabbitmq),
    valkey: '',
  };
  const settings = {
    ...Object.fromEntries(
      adminForwards.map(({ service, localPort }) => [`${service.toUpperCase()}_ADMIN_URL`, at(localPort)]),
    ),
    RABBITMQ_URL: stores.rabbitmq,
    ADMIN_TOKEN: await secretOf(kubectl, 'staff', 'token'),
  };
  const data = await provideDemoData(settings, say, join(devFolder, 'containers'));
  const state = {
    gateway: at(linkedPorts.gateway),
    portal: `${at(linkedPorts.gateway)}/portal`,
    docs: `${at(linkedPorts.gateway)}/docs`,
    billing: at(linkedPorts.billing),
    stripeSimulator: at(linkedPorts['stripe-simulator']),
    mailbox: at(linkedPorts['mail-simulator']),
    // Not reached from here.
    console: '',
    ratesSimulator: '',
    identitySimulator: '',
    community: '',
    ...stores,
    processes: { gateway: 0, offers: 0, billing: 0, pricing: 0, moderation: 0, notifier: 0 },
    ...data,
  };
  return {
    isDirect,
    stores,
    state: () => state,
    adminSettings: () => settings,
    admin: adminToolOf(() => ({ ...settings, DEV_FOLDER: join(devFolder, 'containers') })),
    callAdmin: createAdminClient(settings),
  };
}

async function secretOf({ json }: Kubectl, name: string, key: string): Promise<string> {
  const { data } = await json<{ data: Record<string, string> }>('get', 'secret', name);
  return Buffer.from(data[key] ?? '', 'base64').toString();
}

async function databasesAt(kubectl: Kubectl, port: number): Promise<System['stores']['databases']> {
  const password = await secretOf(kubectl, 'postgres-superuser', 'password');
  const url = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  return { gateway: url('gateway'), offers: url('offers'), billing: url('billing') };
}

/** With a user of its own, who publishes views and clicks and counts the messages of all queues. */
async function brokerAt(kubectl: Kubectl, port: number): Promise<string> {
  const [name, password] = ['trial', randomBytes(16).toString('hex')];
  const control = (...args: string[]) => kubectl.run(['exec', 'rabbitmq-0', '--', 'rabbitmqctl', ...args]);
  await control('add_user', name, password).catch(() => control('change_password', name, password));
  await control('set_permissions', name, '.*', '.*', '.*');
  return `amqp://${name}:${password}@127.0.0.1:${port}`;
}
