/** The files that docker-compose.yml hands to its containers as secrets: their names, and how they are made. */
import { externalSecrets, type LookUp, secretData } from '../k8s/checks/secrets.ts';
import { mongoSetUp, postgresSetUp, rabbitmqDefinitions } from '../k8s/checks/store-users.ts';
import { inventSecrets, newMongoKey, random } from '../k8s/secrets-of-dev.ts';
import { isSecretOf, type Program, programs } from '../settings/schemas.ts';

/** Each program has a user of its own at a store, and a token of its own: the same setting is another secret in each. */
const differs = new Set(['RABBITMQ_URL', 'MONGO_URL', 'ADMIN_TOKEN', 'ADMIN_TOKEN_HASHES']);

/** The file that holds a setting. */
export function secretFileOf(program: Program, name: string): string {
  const file = name.toLowerCase().replaceAll('_', '-');
  return differs.has(name) && !file.startsWith(`${program}-`) ? `${program}-${file}` : file;
}

/** Of a bucket of one's own or a hosted model: whoever has one brings them. */
const areBrought = /^(S3|REKOGNITION)_/;

/** Users of RabbitMQ whom nobody here signs in as: the community platform, and people who look at queues. */
const otherBrokerUsers = ['community', 'scaler'];

export type Files = ReadonlyMap<string, string>;

/** Where people and the console have their tokens. Services have hashes of them alone. */
const tokenFiles = { staff: 'admin-token', console: 'console-admin-token' };

/**
 * Every file that must be there before the first start, all of them random; of Stripe and the mail server as the simulators take
 * them. `known`: hashes are made of the tokens that are there.
 */
export function inventFiles(known: Files = new Map()): Files {
  const [staff, console] = [known.get(tokenFiles.staff), known.get(tokenFiles.console)];
  const lookUp = inventSecrets({ ...(staff && { staff }), ...(console && { console }) });
  const settings = externalSecrets().flatMap((external) => {
    const program = programs.find((name) => name === external.spec.target.name);
    if (program === undefined) return [];
    return Object.entries(secretData(external, lookUp))
      .filter(([name]) => isSecretOf(program, name) && !areBrought.test(name))
      .map(([name, value]): [string, string] => [secretFileOf(program, name), asInCompose(value)]);
  });
  const others = otherBrokerUsers.map((user): [string, string] => [
    `${user}-rabbitmq-url`,
    `amqp://${user}:${lookUp('offer-ads/rabbitmq', user)}@rabbitmq:5672`,
  ]);
  return new Map([
    ...settings,
    ...others,
    [tokenFiles.staff, lookUp('offer-ads/staff', 'token')],
    ['postgres-superuser-password', random(32)],
    ['mongo-root-password', random(32)],
    ['mongo-key', newMongoKey()],
    ['grafana-admin-password', random(12)],
  ]);
}

/** One of each store, without certificates; and no job that compares payments. */
function asInCompose(value: string): string {
  return value
    .replace(/\?sslmode=.*$/, '')
    .replace(/,payments-check:\w+/, '')
    .replace('@postgres-rw:', '@postgres:')
    .replace(/@mongo-0\.[^/]+\//, '@mongo:27017/');
}

/** What the stores are told of their users, always made anew: rights follow the code, passwords the addresses in the files. */
export function storeFiles(files: Files): Files {
  const lookUp: LookUp = (key, property) => {
    const [, store = ''] = key.split('/');
    const file = store === 'valkey' ? 'valkey-url' : `${property}-${addressOf[store]}`;
    return decodeURIComponent(new URL(files.get(file) ?? '').password);
  };
  const valkey = externalSecrets().find(({ metadata }) => metadata.name === 'valkey');
  if (valkey === undefined) throw new Error('deploy/k8s/components/external-secrets has no valkey');
  const rootPassword = files.get('mongo-root-password') ?? '';
  return new Map([
    ['postgres-set-up.sql', postgresSetUp(lookUp)],
    ['mongo-set-up.js', mongoSetUp(lookUp, { rootPassword, host: 'mongo:27017' })],
    ['rabbitmq-definitions.json', rabbitmqDefinitions(lookUp)],
    ['valkey.conf', secretData(valkey, lookUp)['valkey.conf'] ?? ''],
  ]);
}

const addressOf: Readonly<Record<string, string>> = {
  postgres: 'database-url',
  mongo: 'mongo-url',
  rabbitmq: 'rabbitmq-url',
};
