/** What stores/operators tells the operators about users, told to the plain stores of the overlay dev. */

import { type Manifest, render } from './render.ts';
import type { LookUp } from './secrets.ts';

type Of<Spec> = Manifest & { readonly spec: Spec };
type Permissions = { readonly userReference: { readonly name: string }; readonly permissions: object };

const VHOST = '/';

/** As `rabbitmqctl import_definitions` reads them. */
export function rabbitmqDefinitions(lookUp: LookUp): Record<string, string> {
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
  return {
    'definitions.json': JSON.stringify(definitions),
    'definitions.conf': 'load_definitions = /etc/rabbitmq/definitions/definitions.json\nlog.console = true\n',
  };
}

function granted({ spec }: Of<Permissions>): object {
  return { user: spec.userReference.name, vhost: VHOST, ...spec.permissions };
}

type MongoUser = { readonly name: string; readonly roles: readonly object[] };

/** A script for mongosh that makes the replica set and its users, once, and fails until both are there. */
export function mongoSetUp(lookUp: LookUp, rootPassword: string): Record<string, string> {
  const mongo = render('stores/operators').find(({ kind }) => kind === 'MongoDBCommunity') as Of<{
    users: MongoUser[];
  }>;
  const users = mongo.spec.users.map(({ name, roles }) => ({
    user: name,
    pwd: lookUp('offer-ads/mongo', name),
    roles,
  }));
  const root = { user: 'root', pwd: rootPassword, roles: ['root'] };
  const script = `// The first user may be made without one, from the machine itself.
const admin = db.getSiblingDB('admin');
const signIn = () => { try { return admin.auth(${JSON.stringify(root.user)}, ${JSON.stringify(root.pwd)}).ok === 1; } catch { return false; } };
if (!signIn()) {
  try { rs.initiate({ _id: 'mongo', members: [{ _id: 0, host: 'mongo-0.mongo-svc:27017' }] }); } catch {}
  if (!db.hello().isWritablePrimary) quit(1);
  admin.createUser(${JSON.stringify(root)});
  if (!signIn()) quit(1);
}
for (const user of ${JSON.stringify(users)}) if (admin.getUser(user.user) === null) admin.createUser(user);
if (!db.hello().isWritablePrimary) quit(1);
`;
  return { 'set-up.js': script };
}
