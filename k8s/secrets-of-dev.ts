/** The Secrets of the overlay dev, as random as those of production and made of the same templates. */
import { randomBytes } from 'node:crypto';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { consoleName } from '@offer-ads/platform/admin/routes';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { externalSecrets, type LookUp, secretData } from './checks/secrets.ts';
import { mongoSetUp, postgresSetUp, rabbitmqDefinitions } from './checks/store-users.ts';

export const devNamespace = 'offer-ads-dev';

export type Secret = {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly type: string;
  readonly stringData: Readonly<Record<string, string>>;
};

export const random = (bytes: number) => randomBytes(bytes).toString('hex');

export type AdminTokens = {
  /** Of the person who uses the admin tool. */
  readonly staff: string;
  /** The console's own. */
  readonly console: string;
};

/** A store of secrets in which everything is random, the same as long as it is asked. Tokens that exist already are known by their hashes. */
export function inventSecrets(known: Partial<AdminTokens> = {}): LookUp {
  const tokens = { staff: known.staff ?? random(32), console: known.console ?? random(32) };
  const paymentsCheck = random(32);
  const hashes = serviceNames.map((service): [string, string] => [
    `offer-ads/admin-token-hashes ${service}`,
    [
      hashEntry('staff', tokens.staff, service),
      hashEntry(consoleName, tokens.console, service),
      ...(service === 'offers' || service === 'billing'
        ? [hashEntry('payments-check', paymentsCheck, service)]
        : []),
    ].join(),
  ]);
  /** What a person would have from others, or what follows from something else. */
  const made = new Map([
    ...hashes,
    ['offer-ads/staff token', tokens.staff],
    ['offer-ads/console token', tokens.console],
    // No emergency tokens.
    ['offer-ads/console break-glass', ''],
    ['offer-ads/payments-check token', paymentsCheck],
    ['offer-ads/stripe test-secret-key', `sk_test_${random(12)}`],
    ['offer-ads/stripe test-webhook-secret', `whsec_${random(12)}`],
    ['offer-ads/stripe live-secret-key', `sk_live_${random(12)}`],
    ['offer-ads/stripe live-webhook-secret', `whsec_${random(12)}`],
    ['offer-ads/smtp url', 'smtp://mail-simulator:1025'],
  ]);
  return (key, property) => {
    const name = `${key} ${property}`;
    const value = made.get(name) ?? random(32);
    made.set(name, value);
    return value;
  };
}

/** What the members of a replica set know each other by. */
export const newMongoKey = () => randomBytes(96).toString('base64');

export function secretsOfDev(): Secret[] {
  const lookUp = inventSecrets();
  const ofServices = externalSecrets().map((external) => {
    const { name, template } = external.spec.target;
    const data = Object.entries(secretData(external, lookUp)).map(([key, value]) => [key, asInDev(value)]);
    return secret(name, Object.fromEntries(data) as Record<string, string>, template.type);
  });
  const member = { rootPassword: random(32), host: '127.0.0.1:27017' };
  return [
    ...ofServices,
    // In no pod: it is for the person who tries the system out.
    secret('staff', { token: lookUp('offer-ads/staff', 'token') }),
    secret('postgres-superuser', { password: random(32) }),
    secret('postgres-set-up', { 'set-up.sql': postgresSetUp(lookUp) }),
    secret('rabbitmq-definitions', {
      'definitions.json': rabbitmqDefinitions(lookUp),
      'definitions.conf':
        'load_definitions = /etc/rabbitmq/definitions/definitions.json\nlog.console = true\n',
    }),
    secret('mongo-set-up', { key: newMongoKey(), 'set-up.js': mongoSetUp(lookUp, member) }),
  ];
}

/**
 * The plain stores: a Postgres without certificates, and one MongoDB, which knows itself as 127.0.0.1 and is found by its Service. With
 * names of pods instead, a restarted member waits until its resolver forgets its old address.
 */
function asInDev(value: string): string {
  return value
    .replace(/\?sslmode=.*$/, '')
    .replace(/@mongo-0\.mongo-svc[^/]+/, '@mongo-svc:27017')
    .replace('replicaSet=mongo', 'directConnection=true');
}

function secret(name: string, stringData: Readonly<Record<string, string>>, type = 'Opaque'): Secret {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: devNamespace }, type, stringData };
}
