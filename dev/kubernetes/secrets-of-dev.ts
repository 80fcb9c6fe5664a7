/** The Secrets of the overlay dev, as random as those of production and made of the same templates. */
import { randomBytes } from 'node:crypto';
import { externalSecrets, type LookUp, secretData } from './secrets.ts';
import { mongoSetUp, rabbitmqDefinitions } from './store-users.ts';

export const devNamespace = 'offer-ads-dev';

export type Secret = {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly type: string;
  readonly stringData: Readonly<Record<string, string>>;
};

const random = (bytes: number) => randomBytes(bytes).toString('hex');

export function secretsOfDev(): Secret[] {
  /** What a person would have from others. */
  const made = new Map([
    ['offer-ads/stripe test-secret-key', `sk_test_${random(12)}`],
    ['offer-ads/stripe test-webhook-secret', `whsec_${random(12)}`],
    ['offer-ads/stripe live-secret-key', `sk_live_${random(12)}`],
    ['offer-ads/stripe live-webhook-secret', `whsec_${random(12)}`],
    ['offer-ads/smtp url', 'smtp://mail-simulator:1025'],
  ]);
  const lookUp: LookUp = (key, property) => {
    const name = `${key} ${property}`;
    const value = made.get(name) ?? random(32);
    made.set(name, value);
    return value;
  };
  const ofServices = externalSecrets().map((external) => {
    const { name, template } = external.spec.target;
    const data = Object.entries(secretData(external, lookUp)).map(([key, value]) => [key, asInDev(value)]);
    return secret(name, Object.fromEntries(data) as Record<string, string>, template.type);
  });
  return [
    ...ofServices,
    secret('postgres-superuser', { password: random(32) }),
    secret('rabbitmq-definitions', rabbitmqDefinitions(lookUp)),
    secret('mongo-set-up', { key: randomBytes(96).toString('base64'), ...mongoSetUp(lookUp, random(32)) }),
  ];
}

/** The plain stores: one MongoDB, and a Postgres without certificates. */
function asInDev(value: string): string {
  return value.replace(/\?sslmode=.*$/, '').replaceAll(/,mongo-[12]\.[^,/]+/g, '');
}

function secret(name: string, stringData: Readonly<Record<string, string>>, type = 'Opaque'): Secret {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: devNamespace }, type, stringData };
}
