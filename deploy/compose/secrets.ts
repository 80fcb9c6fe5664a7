/** The secret files of docker-compose.yml: their names and contents. */
import { externalSecrets, type LookUp, secretData } from '@offer-ads/k8s/checks/secrets';
import { mongoSetUp, postgresSetUp, rabbitmqDefinitions } from '@offer-ads/k8s/checks/store-users';
import { inventSecrets, newMongoKey, random } from '@offer-ads/k8s/secrets-of-dev';
import { isSecretOf, type Program, programs } from '../settings/schemas.ts';

/** Settings whose value differs for each program, because each has its own user and its own token. */
const differs = new Set(['RABBITMQ_URL', 'MONGO_URL', 'ADMIN_TOKEN', 'ADMIN_TOKEN_HASHES']);

/** The file that holds a setting. */
export function secretFileOf(program: Program, name: string): string {
  const file = name.toLowerCase().replaceAll('_', '-');
  return differs.has(name) && !file.startsWith(`${program}-`) ? `${program}-${file}` : file;
}

/** Credentials for a bucket, and emergency tokens: the operator provides them. */
const areBrought = /^(S3|CONSOLE_BREAK_GLASS)/;

/** Users of RabbitMQ that no container uses: the community platform and the scaler. */
const otherBrokerUsers = ['community', 'scaler'];

export type Files = ReadonlyMap<string, string>;

/** The files with the tokens of staff and of the console. Services get only hashes. */
const tokenFiles = { staff: 'admin-token', console: 'console-admin-token' };

/**
 * All files needed before the first start, with random values. Values for Stripe and the mail server are those of the simulators.
 * `known`: existing tokens, from which the hashes are made.
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

/** Compose runs one instance of each store, without certificates, and no job that compares payments. */
function asInCompose(value: string): string {
  return value
    .replace(/\?sslmode=.*$/, '')
    .replace(/,payments-check:\w+/, '')
    .replace('@postgres-rw:', '@postgres:')
    .replace(/@mongo-0\.[^/]+\//, '@mongo:27017/');
}

/** The definitions of the stores' users, always regenerated: rights come from the code, passwords from the addresses in the files. */
export function storeFiles(files: Files): Files {
  const lookUp: LookUp = (key, property) => {
    const [, store = ''] = key.split('/');
    const file = store === 'valkey' ? 'valkey-url' : `${property}-${addressOf[store]}`;
    return decodeURIComponent(new URL(files.get(file) ?? '').password);
  };
  const valkey = externalSecrets().find(({ metadata }) => metadata.name === 'valkey');
  if (valkey === undefined) throw new Error('k8s/components/external-secrets has no valkey');
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
