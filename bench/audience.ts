/** `npm run bench:audience`: members counted on the grid, by PostGIS and by MongoDB; changes; building. See bench/README.md. */
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import {
  EARTH_RADIUS_METRES,
  greatCircleMetres,
  radiusMetres,
} from '@offer-ads/contracts/audience/great-circle';
import type { Target } from '@offer-ads/contracts/audience/target';
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { memberGenders } from '@offer-ads/contracts/values/member-gender';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { chance } from '@offer-ads/testing/random';
import mongoose, { type Connection } from 'mongoose';
import pg from 'pg';
import { startGridBuild } from '../services/pricing/src/audience/build-grid.ts';
import { buildInThread } from '../services/pricing/src/audience/build-in-thread.ts';
import { bytesOf, type Grid } from '../services/pricing/src/audience/grid.ts';
import { openLiveGrid } from '../services/pricing/src/audience/live-grid.ts';
import { openMongoAudience } from '../services/pricing/src/audience/mongo-audience-store.ts';
import { cities } from '../services/pricing/src/domain/members/cities.ts';
import { generateMembers } from '../services/pricing/src/domain/members/generated-members.ts';
import {
  type CountedMember,
  documentOf,
  type MemberDocument,
} from '../services/pricing/src/members/member-document.ts';
import { expireTombstones, MEMBERS } from '../services/pricing/src/members/members-store.ts';
import { readOptions } from './command-line.ts';
import { waitUntilIdle, watchForeignLoad } from './machine-load.ts';
import { median, percent, percentile, shown, table } from './markdown.ts';
import { openPostgis, postgisSession } from './postgis.ts';
import { startProcess } from './process.ts';
import { circumstances, publish, runMeasurement, say } from './run-measurement.ts';
import { openStores, type Stores } from './stores.ts';

const parts = ['counts', 'changes', 'build'] as const;
const usage = `npm run bench:audience -- [--members 1000000,10000000] [--parts ${parts.join(',')}] [--rounds 3] [--quick] [--write]
  --members  how many members count
  --quick    5,000 members, one round: shows that everything works, measures nothing
  --write    puts the tables into bench/README.md`;
type Options = ReturnType<typeof optionsOf>;
function optionsOf(args: string[]) {
  const { others, ...usual } = readOptions(args, {
    rounds: 3,
    choice: ['parts', parts],
    others: ['members'],
  });
  const given = others.members ?? (usual.quick ? '5000' : '1000000,10000000');
  return { ...usual, sizes: given.split(',').map(Number) };
}

/** At 10 million members. */
const aims = { postgisMedian: 120, bytes: 28, buildSeconds: 10, lateMs: 5, startSeconds: 60 };

async function run(opened: AsyncDisposableStack, options: Options): Promise<void> {
  const stores = await openStores(opened, say);
  const postgis = options.chosen.includes('counts') ? await openPostgis(opened, stores.folder) : undefined;
  const reports: Record<(typeof parts)[number], string[]> = { counts: [], changes: [], build: [] };
  for (const size of options.sizes) {
    say(`\n${shown(size)} members`);
    await using ofSize = new AsyncDisposableStack();
    const members = populationOf(size);
    const { grid, seconds: buildSeconds } = gridOf(members);
    const mongoUrl = databaseUrl(stores.backing.mongoUrl, `bench_audience_${size}`);
    const needsMongo = options.chosen.some((part) => part !== 'changes');
    const mongo = needsMongo ? await fillMongo(ofSize, mongoUrl, size) : undefined;
    if (postgis !== undefined && mongo !== undefined) {
      const peers = [
        { name: 'the grid', count: openLiveGrid(grid).count, bytes: bytesOf(grid) },
        await fillPostgis(ofSize, postgis, members),
        ...(size > MOST_FOR_MONGO ? [] : [mongo]),
      ] as const;
      reports.counts.push(await measureCounts(members, peers, options.rounds));
    }
    if (options.chosen.includes('build'))
      reports.build.push(await measureBuild({ stores, grid, buildSeconds, mongoUrl }));
    // Last: it changes the members.
    if (options.chosen.includes('changes')) reports.changes.push(await measureChanges(members, grid));
  }
  for (const part of options.chosen)
    publish(`audience-${part}`, [circumstances(), ...reports[part]].join('\n\n'), options.write);
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

// ---- the members: generated ones, the same in every store and run, as columns

type Columns = {
  readonly ids: Float64Array;
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
  readonly genders: Uint8Array;
  /** Bit n: interest n. */
  readonly interests: Uint32Array;
};
const SEED = 7;
/** Taveuni, Fiji: no city of generated members is near the date line, where half of all mistakes happen. */
const island = { latitude: -16.84, longitude: 180 };
const ISLANDERS_ONE_OF = 512;

/** All members, also those who do not count, until so many of them count. */
function* everybody(counting: number): Generator<MemberFacts> {
  let left = counting;
  let at = 0;
  // At least six of eight members count.
  for (const member of generateMembers({ count: Math.ceil((counting * 8) / 6), seed: SEED })) {
    at += 1;
    yield at % ISLANDERS_ONE_OF === 0 ? asIslander(member) : member;
    if (member.active && !member.banned) left -= 1;
    if (left === 0) return;
  }
}

/** The last half degree of where they were, on both sides of the line. */
function asIslander(member: MemberFacts): MemberFacts {
  const scatter = (degrees: number) => (Math.abs(degrees) % 0.5) - 0.25;
  return {
    ...member,
    latitude: island.latitude + scatter(member.latitude),
    longitude: turned(island.longitude + scatter(member.longitude)),
  };
}

function turned(longitude: number): number {
  return longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
}

function populationOf(size: number): Columns {
  const columns: Columns = {
    ids: new Float64Array(size),
    latitudes: new Float64Array(size),
    longitudes: new Float64Array(size),
    genders: new Uint8Array(size),
    interests: new Uint32Array(size),
  };
  let row = 0;
  for (const member of everybody(size)) {
    if (!member.active || member.banned) continue;
    const { latitude, longitude } = coarsePosition(member);
    columns.ids[row] = member.memberId;
    columns.latitudes[row] = latitude;
    columns.longitudes[row] = longitude;
    columns.genders[row] = memberGenders.indexOf(member.gender);
    columns.interests[row] = bitsOf(member.interests);
    row += 1;
  }
  return columns;
}

function bitsOf(interests: readonly number[]): number {
  return interests.reduce((bits, id) => bits | (1 << id), 0);
}

function interestsOf(bits: number): number[] {
  return interestIds.filter((id) => (bits & (1 << id)) !== 0);
}

function memberOf(columns: Columns, row: number): CountedMember {
  return {
    memberId: columns.ids[row] as number,
    latitude: columns.latitudes[row] as number,
    longitude: columns.longitudes[row] as number,
    gender: memberGenders[columns.genders[row] as number] as CountedMember['gender'],
    interests: interestsOf(columns.interests[row] as number),
  };
}

/** The time is that of the grid alone, without what it takes here to make members out of columns. */
function gridOf(columns: Columns): { readonly grid: Grid; readonly seconds: number } {
  const build = startGridBuild();
  let millis = 0;
  const timed = <T>(work: () => T): T => {
    const began = performance.now();
    const done = work();
    millis += performance.now() - began;
    return done;
  };
  for (let row = 0; row < columns.ids.length; row += ROWS_AT_ONCE) {
    const { length } = columns.ids.subarray(row, row + ROWS_AT_ONCE);
    const members = Array.from({ length }, (_, index) => memberOf(columns, row + index));
    timed(() => members.forEach(build.add));
  }
  const grid = timed(build.finish);
  return { grid, seconds: millis / 1_000 };
}

// ---- the queries

const interestIds = Array.from({ length: 30 }, (_, index) => index + 1);
/** Nobody lives within 30 miles: Atlantic, Pacific, Indian Ocean, Southern Ocean, and the North Pole. */
const seas = [
  [35, -40],
  [10, -140],
  [-30, 80],
  [-62, 179.9],
  [90, 0],
] as const;
const targets = targetsOf(200);

/** Advertisers ask about places with people; at the other places counting may go wrong. */
function targetsOf(howMany: number): readonly Target[] {
  const random = chance(2026);
  const weighted = cities.flatMap((city) => Array<typeof city>(city.weight).fill(city));
  const near = ({ latitude, longitude }: (typeof cities)[number] | typeof island, degrees: number) => {
    // To 0.1 m, like a map.
    const off = () => Math.round((random.below(2_000_001) - 1_000_000) * degrees) / 1e6;
    return { latitude: latitude + off(), longitude: turned(longitude + off()) };
  };
  const some = <T>(choices: readonly T[], count: string) => {
    const chosen = new Set<T>();
    while (chosen.size < Number(count)) chosen.add(random.oneOf(choices));
    return [...chosen];
  };
  const place = () => {
    const kind = random.weighted({ city: 50, 'any city': 25, outskirts: 10, 'date line': 8, sea: 7 });
    if (kind === 'city') return near(random.oneOf(weighted), 0.12);
    if (kind === 'any city') return near(random.oneOf(cities), 0.12);
    if (kind === 'outskirts') return near(random.oneOf(cities), 0.6);
    if (kind === 'date line') return near(island, 0.4);
    const [latitude, longitude] = random.oneOf(seas);
    return { latitude, longitude };
  };
  return Array.from({ length: howMany }, () => ({
    ...place(),
    radiusMiles: 5 + random.below(26),
    gender: some(memberGenders, random.weighted({ 0: 5, 1: 4, 2: 1 })),
    interests: some(interestIds, random.weighted({ 0: 4, 1: 3, 3: 2, 8: 1 })),
  }));
}

const METRES_PER_DEGREE = (Math.PI * EARTH_RADIUS_METRES) / 180;

/** Looks at every member by pricing's own rule of distance. @param beyondMetres counts as inside too */
function bruteForce(columns: Columns, target: Target, beyondMetres = 0): number {
  const metres = radiusMetres(target.radiusMiles) + beyondMetres;
  const reach = metres / METRES_PER_DEGREE + 0.001;
  const genders = memberGenders.map((each) => target.gender.length === 0 || target.gender.includes(each));
  const interests = target.interests.length === 0 ? -1 : bitsOf(target.interests);
  let found = 0;
  for (let row = 0; row < columns.ids.length; row += 1) {
    const latitude = columns.latitudes[row] as number;
    if (Math.abs(latitude - target.latitude) > reach) continue;
    if (genders[columns.genders[row] as number] !== true) continue;
    if (interests !== -1 && ((columns.interests[row] as number) & interests) === 0) continue;
    if (greatCircleMetres(target, { latitude, longitude: columns.longitudes[row] as number }) <= metres)
      found += 1;
  }
  return found;
}

// ---- who counts

type Peer = {
  readonly name: 'the grid' | 'PostGIS' | 'MongoDB 2dsphere';
  readonly count: (target: Target) => number | Promise<number>;
  readonly bytes: number;
  /** It may count members this far outside of the circle, and none less. */
  readonly beyondMetres?: number;
};

/** Of PostGIS without spheroid: the mean of the axes of WGS 84, (2a + b) / 3. Radii are scaled to it, so that the circles are the same. */
const POSTGIS_RADIUS_METRES = (2 * 6_378_137 + 6_356_752.314245179) / 3;
const ROWS_AT_ONCE = 20_000;
const MOST_FOR_MONGO = 1_000_000;

async function fillPostgis(opened: AsyncDisposableStack, url: string, columns: Columns): Promise<Peer> {
  const client = new pg.Client({ connectionString: url, options: postgisSession });
  // The statement that fails with the connection reports the error.
  client.on('error', () => {});
  await client.connect();
  opened.defer(() => client.end());
  await client.query('DROP TABLE IF EXISTS people, members');
  await client.query(
    'CREATE UNLOGGED TABLE members (position geography(Point, 4326), gender int2, interests int4[])',
  );
  for (let row = 0; row < columns.ids.length; row += ROWS_AT_ONCE) {
    const end = Math.min(columns.ids.length, row + ROWS_AT_ONCE);
    const interests = Array.from(
      columns.interests.subarray(row, end),
      (bits) => `{${interestsOf(bits).join(',')}}`,
    );
    const { longitudes, latitudes, genders } = columns;
    const given = [longitudes, latitudes, genders].map((column) => Array.from(column.subarray(row, end)));
    await client.query(
      `INSERT INTO members SELECT ST_MakePoint(x, y)::geography, gender, interests::int4[]
       FROM unnest($1::float8[], $2::float8[], $3::int2[], $4::text[]) AS given (x, y, gender, interests)`,
      [...given, interests],
    );
  }
  // PostGIS orders points along Hilbert's curve, so neighbours share pages.
  await client.query('CREATE UNLOGGED TABLE people AS SELECT * FROM members ORDER BY position::geometry');
  await client.query('CREATE INDEX people_position ON people USING gist (position)');
  await client.query('DROP TABLE members');
  await client.query('VACUUM (FREEZE, ANALYZE) people');
  for (const relation of ['people', 'people_position'])
    await client.query('SELECT pg_prewarm($1)', [relation]);
  const size = await client.query<{ bytes: string }>("SELECT pg_total_relation_size('people') AS bytes");
  return {
    name: 'PostGIS',
    bytes: Number(size.rows[0]?.bytes),
    count: async ({ latitude, longitude, radiusMiles, gender, interests }) => {
      const metres = (radiusMetres(radiusMiles) * POSTGIS_RADIUS_METRES) / EARTH_RADIUS_METRES;
      const values: unknown[] = [longitude, latitude, metres];
      let text = `SELECT count(*)::int AS matching FROM people WHERE ST_DWithin(position, ST_MakePoint($1, $2)::geography, $3, false)`;
      if (gender.length > 0)
        text += ` AND gender = ANY ($${values.push(gender.map((each) => memberGenders.indexOf(each)))}::int2[])`;
      if (interests.length > 0) text += ` AND interests && $${values.push(interests)}::int4[]`;
      const name = `count ${gender.length > 0} ${interests.length > 0}`;
      const { rows } = await client.query<{ matching: number }>({ name, text, values });
      return rows[0]?.matching ?? Number.NaN;
    },
  };
}

/** MongoDB counts members whose finest S2 cell touches the circle. Its longest diagonal is 2.439 / 2^30 of the radius. */
const LEAF_CELL_METRES = 0.0145;

/** Pricing's own second engine, on documents as pricing writes them. */
async function fillMongo(opened: AsyncDisposableStack, url: string, size: number): Promise<Peer> {
  const connection = await mongoose.createConnection(url).asPromise();
  opened.defer(() => connection.close());
  opened.defer(() => connection.dropDatabase());
  const members = connection.collection(MEMBERS);
  // As the first start of pricing does, when there are no members yet.
  await expireTombstones(connection);
  const people = everybody(size);
  const insert = async () => {
    let batch: MemberDocument[] = [];
    const write = async () => {
      await members.insertMany(batch as never[], { ordered: false });
      batch = [];
    };
    for (const facts of { [Symbol.iterator]: () => ({ next: () => people.next() }) }) {
      batch.push(documentOf(facts, 1));
      if (batch.length === 1_000) await write();
    }
    if (batch.length > 0) await write();
  };
  await Promise.all([insert(), insert(), insert(), insert()]);
  const engine = openMongoAudience(withoutHurry(connection));
  await engine.prepare();
  const { storageSize = 0, totalIndexSize = 0 } =
    (await connection.db?.command({ collStats: MEMBERS })) ?? {};
  return {
    name: 'MongoDB 2dsphere',
    count: (target) => engine.count(target, createDeadline(Number.MAX_SAFE_INTEGER)),
    bytes: storageSize + totalIndexSize,
    beyondMetres: LEAF_CELL_METRES,
  };
}

/** The service limits a read to two seconds; here it may take longer. */
function withoutHurry(connection: Connection): Connection {
  const collection = (name: string) => {
    const members = connection.collection(name);
    const countDocuments: typeof members.countDocuments = (filter) => members.countDocuments(filter);
    return Object.assign(Object.create(members), { countDocuments });
  };
  return Object.assign(Object.create(connection), { collection });
}

// ---- measurements

/** Until V8 has compiled what runs often. */
const WARM_UP_ROUNDS = 20;

async function measureCounts(columns: Columns, peers: readonly Peer[], rounds: number): Promise<string> {
  say(`Looking at every member for each of ${targets.length} queries ...`);
  const expected = targets.map((target) => bruteForce(columns, target));
  const took = new Map(peers.map(({ name }) => [name, [] as number[]]));
  let tooMany = 0;
  const countOnce = async ({ name, count, beyondMetres }: Peer, at: number) => {
    const target = targets[at] as Target;
    const exact = expected[at] as number;
    const began = performance.now();
    const answer = count(target);
    const counted = typeof answer === 'number' ? answer : await answer;
    took.get(name)?.push(performance.now() - began);
    if (counted === exact) return;
    const most = beyondMetres === undefined ? exact : bruteForce(columns, target, beyondMetres);
    if (counted < exact || counted > most)
      throw new Error(`${name} counts ${counted} and not ${exact}: ${JSON.stringify(target)}`);
    tooMany += counted - exact;
  };
  await waitUntilIdle();
  const [grid] = peers as [Peer];
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1)
    for (const at of targets.keys()) await countOnce(grid, at);
  took.set(grid.name, []);
  const foreign = watchForeignLoad();
  for (let round = 1; round <= rounds; round += 1) {
    for (const at of targets.keys()) {
      // MongoDB answers once, and not among ten million, where a query takes it half a minute. Nobody always follows the same one, so that
      // each finds the processor's caches as the others left them.
      const asked = round === 1 ? peers : peers.filter(({ name }) => name !== 'MongoDB 2dsphere');
      const turn = (round + at) % asked.length;
      for (const peer of [...asked.slice(turn), ...asked.slice(0, turn)]) await countOnce(peer, at);
    }
    say(`round ${round} of counts done`);
  }
  const ours = median(took.get('the grid') ?? []);
  const times = median(took.get('PostGIS') ?? []) / ours;
  const size = columns.ids.length;
  return [
    `**${shown(size)} members**. ${rounds} rounds of ${targets.length} queries, which reach ${shown(median(expected))} members at the median and ` +
      `${shown(Math.max(...expected))} at most; all counts equal brute force${tooMany > 0 ? `, but that MongoDB counts ${tooMany} members too many, who are less than 1.5 cm outside` : ''}. ` +
      `Other processes took ${percent(foreign())} of the cores.`,
    table(
      ['', 'median ms', 'p99 ms', 'to the grid, median', 'bytes a member'],
      peers.map(({ name, bytes }) => {
        const values = took.get(name) ?? [];
        const ratio = `${shown(median(values) / ours, 1)} ×`;
        return [
          name,
          shown(median(values), 3),
          shown(percentile(values, 99), 3),
          ratio,
          shown(bytes / size, 1),
        ];
      }),
    ),
    `Aims for 10 million: ${aim(times >= aims.postgisMedian)} at least ${aims.postgisMedian} times PostGIS; ${aim((grid.bytes ?? 0) / size <= aims.bytes)} at most ${aims.bytes} bytes a member.`,
  ].join('\n\n');
}

function aim(isMet: boolean): string {
  return isMet ? '✓' : '✗';
}

const CHANGES_OF_A_KIND = 4_000;
const CELL = 0.01;
const ALONE_MS = 8_000;

/** The time of a change of one member at full size; then 1,000 changes a second arrive while a thread builds the next grid. */
async function measureChanges(columns: Columns, grid: Grid): Promise<string> {
  const live = openLiveGrid(grid);
  const random = chance(99);
  const rowAtRandom = () => random.below(columns.ids.length);
  const moved = (row: number, latitude: number, longitude: number) => {
    columns.latitudes[row] = Math.round(Math.max(-90, Math.min(90, latitude)) * 100) / 100;
    columns.longitudes[row] = Math.round(Math.max(-180, Math.min(180, longitude)) * 100) / 100;
    return row;
  };
  const change = {
    'a move of up to a mile': () => {
      const row = rowAtRandom();
      const step = () => (random.below(5) - 2) * CELL;
      return moved(row, (columns.latitudes[row] ?? 0) + step(), (columns.longitudes[row] ?? 0) + step());
    },
    'a move to another city': () => {
      const host = rowAtRandom();
      return moved(rowAtRandom(), columns.latitudes[host] ?? 0, columns.longitudes[host] ?? 0);
    },
    'other interests': () => {
      const row = rowAtRandom();
      columns.interests[row] = bitsOf(
        Array.from({ length: random.below(8) }, () => random.oneOf(interestIds)),
      );
      return row;
    },
    'a ban and its end': () => {
      const row = rowAtRandom();
      live.set(columns.ids[row] as number, null);
      return row;
    },
  };
  const kinds = Object.keys(change) as (keyof typeof change)[];
  const micros = new Map<string, number[]>(kinds.map((name) => [name, []]));
  const once = (name: keyof typeof change) => {
    const began = performance.now();
    const row = change[name]();
    live.set(columns.ids[row] as number, memberOf(columns, row));
    micros.get(name)?.push((performance.now() - began) * 1_000);
  };
  const foreign = watchForeignLoad();
  for (let count = 0; count < CHANGES_OF_A_KIND; count += 1) kinds.forEach(once);
  const beside = live.changes();
  const countMicros: number[] = [];
  for (let round = 0; round < 10; round += 1)
    for (const target of targets) {
      const began = performance.now();
      live.count(target);
      countMicros.push((performance.now() - began) * 1_000);
    }
  const figures = (values: readonly number[]) => [shown(median(values), 1), shown(percentile(values, 99), 1)];
  const rows = [
    ...kinds.map((name) => [name, ...figures(micros.get(name) ?? [])]),
    [`a count, with ${shown(beside)} changes beside the grid`, ...figures(countMicros)],
  ];

  const underChanges = async (work: Promise<unknown>) => {
    const began = performance.now();
    const late = monitorEventLoopDelay({ resolution: 1 });
    late.enable();
    const own = watchWork();
    const state = { isOver: false };
    const over = work.finally(() => (state.isOver = true));
    let mostMemory = 0;
    for (; !state.isOver; await pause(20)) {
      for (let each = 0; each < 20; each += kinds.length) kinds.forEach(once);
      mostMemory = Math.max(mostMemory, process.memoryUsage.rss());
    }
    late.disable();
    await over;
    const [p99Ms, mostMs] = [late.percentile(99) / 1e6, late.max / 1e6];
    return {
      seconds: (performance.now() - began) / 1_000,
      p99Ms,
      mostMs,
      mostWorkMs: own.most(),
      mostMemory,
    };
  };
  const alone = await underChanges(pause(ALONE_MS));
  const memoryBefore = process.memoryUsage.rss();
  const { signal } = new AbortController();
  const building = await underChanges(
    live.replace((older, changed) => buildInThread({ older }, changed, { signal })),
  );
  say('All changes made; looking at every member for each query again ...');
  for (const target of targets) {
    const [counted, expected] = [live.count(target), bruteForce(columns, target)];
    if (counted !== expected)
      throw new Error(`after changes ${counted} and not ${expected}: ${JSON.stringify(target)}`);
  }
  const lateRow = (name: string, { p99Ms, mostMs, mostWorkMs }: typeof alone) =>
    [name].concat([p99Ms, mostMs, mostWorkMs].map((ms) => shown(ms, 1)));
  return [
    `**${shown(columns.ids.length)} members**. Other processes took ${percent(foreign())} of the cores.`,
    table(['µs', 'median', 'p99'], rows),
    table(
      ['event loop, ms', 'late, p99', 'late, most', 'own work at once, most'],
      [lateRow('a thread builds the next grid', building), lateRow('nothing else', alone)],
    ),
    `${aim(building.mostMs <= aims.lateMs)} at most ${aims.lateMs} ms late, with 1,000 changes a second. The next grid took ${shown(building.seconds, 1)} s, ` +
      `and at most ${shown((building.mostMemory - memoryBefore) / 2 ** 20)} MiB beside the old one.`,
  ].join('\n\n');
}

/** Processor time of this thread between two turns of its event loop; what a turn is later than that, it waited for a processor. */
function watchWork(): { readonly most: () => number } {
  let most = 0;
  let before = process.threadCpuUsage();
  const look = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    most = Math.max(most, (user + system) / 1_000);
    before = process.threadCpuUsage();
  }, 1);
  return {
    most: () => {
      clearInterval(look);
      return most;
    },
  };
}

/** How long it takes until a grid counts, and the memory of pricing's process when it starts from MongoDB. */
async function measureBuild(o: {
  readonly stores: Stores;
  readonly grid: Grid;
  readonly buildSeconds: number;
  readonly mongoUrl: string;
}): Promise<string> {
  const foreign = watchForeignLoad();
  const began = performance.now();
  startGridBuild(o.grid).finish();
  const nextSeconds = (performance.now() - began) / 1_000;
  const [port = 0] = await freePorts(1);
  const secret = 'of-a-measurement-and-nothing-else';
  const startedAt = performance.now();
  await using pricing = await startProcess({
    name: `pricing-${o.grid.size}`,
    folder: o.stores.folder,
    cwd: fileURLToPath(new URL('../services/pricing', import.meta.url)),
    command: process.execPath,
    args: ['src/main.ts'],
    readyUrl: `http://127.0.0.1:${port}/readyz`,
    readyWithinMs: 600_000,
    env: {
      NODE_ENV: 'production',
      PORT: String(port),
      ADMIN_PORT: '0',
      PRICING_CONTEXT_SECRET: secret,
      COUNT_STEPS_SECRET: secret,
      ADMIN_TOKEN_HASHES: adminTokenHashes,
      // Estimates in pounds need no rates.
      RATES_URL: 'http://127.0.0.1:9',
      MONGO_URL: o.mongoUrl,
      RABBITMQ_URL: o.stores.backing.rabbitmqUrl,
    },
  });
  const startSeconds = (performance.now() - startedAt) / 1_000;
  const status = readFileSync(`/proc/${pricing.pid}/status`, 'utf8');
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024;
  return [
    `**${shown(o.grid.size)} members**. Other processes took ${percent(foreign())} of the cores.`,
    table(
      ['', ''],
      [
        [
          `a grid out of columns in memory, s; ${aim(o.buildSeconds <= aims.buildSeconds)} at most ${aims.buildSeconds}`,
          shown(o.buildSeconds, 1),
        ],
        ['the next grid out of the one before, s', shown(nextSeconds, 1)],
        [
          `pricing from its start until it counts, from MongoDB, s; ${aim(startSeconds <= aims.startSeconds)} at most ${aims.startSeconds}`,
          shown(startSeconds, 1),
        ],
        ["pricing's process then, MiB", shown(mib('VmRSS'))],
        ['at most until then, MiB', shown(mib('VmHWM'))],
      ],
    ),
  ].join('\n\n');
}

// Last, when the tables above are there.
await runMeasurement({ usage, readOptions: optionsOf, run });
