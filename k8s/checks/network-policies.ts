/** Who talks to whom: as NetworkPolicies allow it, and as settings say that it is done. */

import type { Manifest } from '../render/patch.ts';
import { type Overlay, wholeOf } from './overlays.ts';
import { environmentOf, type Labels, type Workload, workloadsOf } from './workloads.ts';

type Selector = {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In';
    readonly values: readonly string[];
  }[];
};
type Peer = {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string };
};
type Rule = {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: readonly { readonly port: number; readonly endPort?: number }[];
};
export type Policy = Manifest & {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly ('Ingress' | 'Egress')[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
};
type Pods = { readonly name: string; readonly labels: Labels };

/** Pods that operators make, with the labels that they give them. */
const storesOfOperators: readonly Pods[] = [
  { name: 'postgres', labels: { 'cnpg.io/cluster': 'postgres' } },
  {
    name: 'rabbitmq',
    labels: { 'app.kubernetes.io/name': 'rabbitmq', 'app.kubernetes.io/component': 'rabbitmq' },
  },
  { name: 'mongo', labels: { app: 'mongo-svc' } },
];
const stores = new Set(['postgres', 'rabbitmq', 'mongo']);

export function podsOf(overlay: Overlay): Pods[] {
  return [...workloadsOf(overlay), ...(overlay === 'dev' ? [] : storesOfOperators)];
}

export function policiesOf(overlay: Overlay): Policy[] {
  return wholeOf(overlay).filter(({ kind }) => kind === 'NetworkPolicy') as Policy[];
}

/** `gateway -> offers:8080`, by who may call (egress) or by who may be called (ingress). */
export function allowed(overlay: Overlay, direction: 'ingress' | 'egress'): string[] {
  const pods = podsOf(overlay);
  const arrows = policiesOf(overlay).flatMap(({ spec }) => {
    const own = pods.filter(({ labels }) => matches(spec.podSelector, labels));
    return (spec[direction] ?? []).flatMap(({ from, to, ports }) => {
      const peers = (from ?? to ?? [{ ipBlock: { cidr: 'anywhere' } }]).flatMap((peer) =>
        namesOf(peer, pods),
      );
      return own.flatMap(({ name }) =>
        peers.flatMap((peer) =>
          ports.map(({ port, endPort }) => {
            const all = endPort === undefined ? `${port}` : `${port}-${endPort}`;
            return direction === 'egress' ? `${name} -> ${peer}:${all}` : `${peer} -> ${name}:${all}`;
          }),
        ),
      );
    });
  });
  return [...new Set(arrows)].filter((arrow) => !isOfStores(arrow)).toSorted();
}

/** Stores talk among themselves and with their operators, which is the operators' business. */
function isOfStores(arrow: string): boolean {
  const [from = '', to = ''] = arrow.split(/ -> |:\d+$/);
  const isOutside = (name: string) =>
    stores.has(name) || /^namespace (?!.*community)|^internet|^anywhere/.test(name);
  return isOutside(from) && isOutside(to);
}

function namesOf({ podSelector, namespaceSelector, ipBlock }: Peer, pods: readonly Pods[]): string[] {
  if (ipBlock !== undefined) return ['internet'];
  if (namespaceSelector !== undefined)
    return [
      `namespace ${Object.entries(namespaceSelector.matchLabels ?? {})
        .map(([key, value]) => (key === 'kubernetes.io/metadata.name' ? value : key))
        .join()}`,
    ];
  return pods.filter(({ labels }) => matches(podSelector ?? {}, labels)).map(({ name }) => name);
}

export function matches({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

/** Addresses that people and browsers follow; nobody here calls them. */
const forOthers =
  /^(PUBLIC_URL|PORTAL_URL|IMAGE_ORIGIN|BROWSER_URL|CONSOLE_URL|ISSUER_URL|IMPRINT_URL|PRIVACY_POLICY_URL|TERMS_URL)$/;
const defaultPorts: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  postgres: 5432,
  amqp: 5672,
  mongodb: 27017,
  redis: 6379,
  smtp: 25,
  smtps: 465,
};
const storesByHost: Readonly<Record<string, string>> = {
  'postgres-rw': 'postgres',
  'mongo-0.mongo-svc': 'mongo',
  'mongo-svc': 'mongo',
};

/** What the addresses in the settings of every pod say, and what the code calls without a setting. */
export function called(overlay: Overlay): string[] {
  const arrows = workloadsOf(overlay).flatMap((workload) => {
    if (stores.has(workload.name) || workload.name === 'valkey') return [];
    const environment = settingsOf(overlay, workload);
    const addresses = Object.entries(environment)
      .filter(([name]) => !forOthers.test(name))
      .flatMap(([, value]) => targetsIn(value));
    // It has MongoDB's address in a file.
    if (workload.name === 'mongo-backup') addresses.push('mongo:27017');
    // Stripe's own library knows Stripe's address.
    if (environment.STRIPE_API_URL === '') addresses.push('internet:443');
    // Advertisers choose where webhooks go; the service allows these ports.
    if (workload.name === 'notifier') addresses.push('internet:443', 'internet:1024-65535');
    return addresses.map((target) => `${workload.name} -> ${target}`);
  });
  return [...new Set(arrows)].toSorted();
}

function settingsOf(overlay: Overlay, workload: Workload): Record<string, string> {
  const environment = environmentOf(overlay, workload);
  // It is given what the admin tool needs, and asks these two.
  const { OFFERS_ADMIN_URL = '', BILLING_ADMIN_URL = '' } = environment;
  return workload.name === 'payments-check' ? { OFFERS_ADMIN_URL, BILLING_ADMIN_URL } : environment;
}

function targetsIn(value: string): string[] {
  return [...value.matchAll(/(\w+):\/\/(?:[^@/]*@)?([^/?,]+)/g)].flatMap(
    ([, protocol = '', authority = '']) => {
      const [host = '', port = String(defaultPorts[protocol])] = authority.split(':');
      if (!(protocol in defaultPorts)) return [];
      if (host.endsWith('.observability')) return [`namespace observability:${port}`];
      const inside = storesByHost[host] ?? (host.includes('.') ? undefined : host);
      return [`${inside ?? 'internet'}:${port}`];
    },
  );
}
