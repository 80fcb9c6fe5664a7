/**
 * The Secrets of the overlay dev, as random as those of production, made of the same templates:
 *
 *     node dev/kubernetes/dev-secrets.ts | kubectl create -f -
 *
 * `create`, so that what is there already is never replaced: stores have taken its passwords in.
 */
import { randomBytes } from 'node:crypto';
import { externalSecrets, type LookUp, secretData } from './secrets.ts';
import { mongoSetUp, rabbitmqDefinitions } from './store-users.ts';

const namespace = 'offer-ads-dev';
const random = (bytes: number) => randomBytes(bytes).toString('hex');

/** What a person would have from others. */
const fromOthers: Readonly<Record<string, string>> = {
  'stripe test-secret-key': `sk_test_${random(12)}`,
  'stripe test-webhook-secret': `whsec_${random(12)}`,
  'stripe live-secret-key': `sk_live_${random(12)}`,
  'stripe live-webhook-secret': `whsec_${random(12)}`,
  'smtp url': 'smtp://mail-simulator:1025',
};

const made = new Map<string, string>();
const lookUp: LookUp = (key, property) => {
  const name = `${key.replace(/^offer-ads\//, '')} ${property}`;
  const value = fromOthers[name] ?? made.get(name) ?? random(32);
  made.set(name, value);
  return value;
};

const secrets = externalSecrets().map((external) => {
  const { name, template } = external.spec.target;
  const data = secretData(external, lookUp);
  return secret(
    name,
    Object.fromEntries(Object.entries(data).map(([key, of]) => [key, asInDev(of)])),
    template.type,
  );
});

const all = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  },
  ...secrets,
  secret('postgres-superuser', { password: random(32) }),
  secret('rabbitmq-definitions', rabbitmqDefinitions(lookUp)),
  secret('mongo-set-up', { key: randomBytes(96).toString('base64'), ...mongoSetUp(lookUp, random(32)) }),
];
process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all }, null, 2)}\n`);

/** The plain stores: one MongoDB, and a Postgres without certificates. */
function asInDev(value: string): string {
  return value.replace(/\?sslmode=.*$/, '').replaceAll(/,mongo-[12]\.[^,/]+/g, '');
}

function secret(name: string, stringData: Readonly<Record<string, string>>, type = 'Opaque'): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type, stringData };
}
