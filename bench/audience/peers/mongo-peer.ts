/** Pricing's own second engine, on documents as pricing writes them. */

import { createDeadline } from '@offer-ads/platform/calls/deadline';
import mongoose, { type Connection } from 'mongoose';
import { openMongoAudience } from '../../../services/pricing/src/audience/mongo-audience-store.ts';
import {
  documentOf,
  eligible,
  type MemberDocument,
} from '../../../services/pricing/src/members/member-document.ts';
import { MEMBERS } from '../../../services/pricing/src/members/members-store.ts';
import { everybody, POPULATION } from '../members/population.ts';
import { type Peer, timed } from './peers.ts';

const BATCH = 1_000;
const AT_ONCE = 4;
const VERSION = 1;
/** MongoDB counts members whose finest S2 cell touches the circle. Its longest diagonal is 2.439 / 2^30 of the radius. */
const LEAF_CELL_METRES = 0.0145;

type Marker = { _id: 'loaded'; population: string };

export async function openMongoPeer(
  opened: AsyncDisposableStack,
  o: { url: string; size: number },
): Promise<Peer> {
  const connection = await mongoose.createConnection(o.url).asPromise();
  opened.defer(() => connection.close());
  const markers = connection.collection<Marker>('bench');
  let loadSeconds: number | undefined;
  if ((await markers.findOne({ _id: 'loaded' }))?.population !== POPULATION) {
    await connection.dropDatabase();
    [, loadSeconds] = await timed(() => fill(connection, o.size));
    await markers.insertOne({ _id: 'loaded', population: POPULATION });
  }
  await warmUp(connection);
  const { count } = openMongoAudience(withoutHurry(connection));
  const { storageSize = 0, totalIndexSize = 0 } =
    (await connection.db?.command({ collStats: 'members' })) ?? {};
  return {
    name: 'MongoDB 2dsphere',
    slow: true,
    beyondMetres: LEAF_CELL_METRES,
    count: (target) => count(target, createDeadline(Number.MAX_SAFE_INTEGER)),
    loadSeconds,
    bytes: storageSize + totalIndexSize,
  };
}

async function fill(connection: Connection, size: number): Promise<void> {
  const members = connection.collection<MemberDocument>(MEMBERS);
  const people = everybody(size);
  const insert = async () => {
    for (let batch = take(people); batch.length > 0; batch = take(people)) {
      await members.insertMany(batch, { ordered: false });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, insert));
  await openMongoAudience(connection).prepare();
  // Otherwise the server would wait for the disk when it stops.
  await connection.db?.admin().command({ fsync: 1 });
}

/** Reads the collection and its index from end to end. */
async function warmUp(connection: Connection): Promise<void> {
  const members = connection.collection<MemberDocument>(MEMBERS);
  await members.countDocuments({ gender: { $exists: true } }, { hint: { $natural: 1 } });
  await members.countDocuments({ ...eligible, gender: { $exists: true } }, { hint: 'audience' });
}

function take(people: ReturnType<typeof everybody>): MemberDocument[] {
  const batch: MemberDocument[] = [];
  while (batch.length < BATCH) {
    const { value: facts, done } = people.next();
    if (done === true) break;
    batch.push(documentOf(facts, VERSION));
  }
  return batch;
}

/** The service limits a read to two seconds; the bench measures how long the long ones take. */
function withoutHurry(connection: Connection): Connection {
  const collection = (name: string) => {
    const members = connection.collection(name);
    const countDocuments: typeof members.countDocuments = (filter) => members.countDocuments(filter);
    return Object.assign(Object.create(members), { countDocuments });
  };
  return Object.assign(Object.create(connection), { collection });
}
