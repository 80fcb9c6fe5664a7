/** What k8s/stores/operators tells the operators about users, told to plain stores: of the overlay dev, and of docker-compose.yml. */

import type { Manifest } from '../render/patch.ts';
import { render } from '../render/render.ts';
import type { LookUp } from './secrets.ts';

type Of<Spec> = Manifest & { readonly spec: Spec };
type Permissions = { readonly userReference: { readonly name: string }; readonly permissions: object };

const VHOST = '/';

/** As `rabbitmqctl import_definitions` reads them. */
export function rabbitmqDefinitions(lookUp: LookUp): string {
  const manifests = render('stores/operators');
  const ofKind = <Spec>(kind: string) => manifests.filter((manifest) => manifest.kind === kind) as Of<Spec>[];
  const definitions = {
    vhosts: [{ name: VHOST }],
    users: ofKind<{ tags?: string[] }>('User').map(({ metadata: { name }, spec }) => ({
      name,
      password: lookUp('offer-ads/rabbitmq', name),
      tags: spec.tags ?? [],
    })),
    permissions: ofKind<Permissions>('Permission').map(granted),
    topic_permissions: ofKind<Permissions>('TopicPermission').map(granted),
    exchanges: ofKind<{ name: string; type: string; durable: boolean }>('Exchange').map(({ spec }) => ({
      name: spec.name,
      vhost: VHOST,
      type: spec.type,
      durable: spec.durable,
      auto_delete: false,
      internal: false,
      arguments: {},
    })),
    queues: ofKind<{ name: string; type: string; durable: boolean; arguments: object }>('Queue').map(
      ({ spec }) => ({
        name: spec.name,
        vhost: VHOST,
        durable: spec.durable,
        auto_delete: false,
        arguments: { ...spec.arguments, 'x-queue-type': spec.type },
      }),
    ),
  };
  return JSON.stringify(definitions);
}

function granted({ spec }: Of<Permissions>): object {
  return { user: spec.userReference.name, vhost: VHOST, ...spec.permissions };
}

type MongoUser = {
  readonly name: string;
  readonly roles: readonly { readonly name: string; readonly db: string }[];
};
type MongoMember = { readonly rootPassword: string; readonly host: string };

/**
 * A script for mongosh that makes the replica set `mongo` and its users, and fails until both are there. It may be repeated:
 * passwords and roles then become as they are here.
 *
 * @param member `host` is its name for itself; clients find it there too, except those with `directConnection`
 */
export function mongoSetUp(lookUp: LookUp, { rootPassword, host }: MongoMember): string {
  const mongo = render('stores/operators').find(({ kind }) => kind === 'MongoDBCommunity') as Of<{
    users: MongoUser[];
  }>;
  const users = mongo.spec.users.map(({ name, roles }) => ({
    user: name,
    pwd: lookUp('offer-ads/mongo', name),
    // What the operator calls a role's name is MongoDB's `role`.
    roles: roles.map(({ name: role, db }) => ({ role, db })),
  }));
  const root = { user: 'root', pwd: rootPassword, roles: ['root'] };
  return `// The first user may be made without one, from the machine itself.
const admin = db.getSiblingDB('admin');
const signIn = () => { try { return admin.auth(${JSON.stringify(root.user)}, ${JSON.stringify(root.pwd)}).ok === 1; } catch { return false; } };
if (!signIn()) {
  try { rs.initiate({ _id: 'mongo', members: [{ _id: 0, host: ${JSON.stringify(host)} }] }); } catch {}
  if (!db.hello().isWritablePrimary) quit(1);
  admin.createUser(${JSON.stringify(root)});
  if (!signIn()) quit(1);
}
if (!db.hello().isWritablePrimary) quit(1);
for (const { user, ...rest } of ${JSON.stringify(users)}) {
  if (admin.getUser(user) === null) admin.createUser({ user, ...rest });
  else admin.updateUser(user, rest);
}
`;
}

/**
 * A script for psql, run by the superuser: a database for each service, and a user who owns it and can connect to no other. It
 * may be repeated: passwords then become as they are here.
 */
export function postgresSetUp(lookUp: LookUp): string {
  const names = postgresUsers();
  const none = 'NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
  const ofEach = names.map(
    (
      name,
    ) => `SELECT 'CREATE ROLE ${name}' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}') \\gexec
ALTER ROLE ${name} LOGIN ${none} PASSWORD ${quoted(lookUp('offer-ads/postgres', name))};
SELECT 'CREATE DATABASE ${name} OWNER ${name}' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '${name}') \\gexec
REVOKE ALL ON DATABASE ${name} FROM PUBLIC;
`,
  );
  return `${ofEach.join('')}REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC;
`;
}

function postgresUsers(): string[] {
  const clusters = render('stores/operators').filter(({ kind }) => kind === 'Cluster') as Of<{
    bootstrap: { initdb: { owner: string } };
    managed: { roles: { name: string }[] };
  }>[];
  return clusters.flatMap(({ spec: { bootstrap, managed } }) =>
    [bootstrap.initdb.owner].concat(managed.roles.map(({ name }) => name)),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
