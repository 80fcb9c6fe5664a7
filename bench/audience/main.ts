/** `npm run bench:audience`: members counted on the grid and by its peers. See bench/README.md. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from '@offer-ads/contracts/audience/target';
import { bytesOf } from '../../services/pricing/src/audience/grid.ts';
import { openLiveGrid } from '../../services/pricing/src/audience/live-grid.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores, type Stores } from '../stores.ts';
import { measureBuild } from './build.ts';
import { measureChanges } from './changes.ts';
import { measureCounts } from './counts.ts';
import { openFolder } from './members/folder.ts';
import { writeMembersFile } from './members/members-file.ts';
import { type Population, populationOf } from './members/population.ts';
import { type Options, readOptions, usage } from './options.ts';
import { buildGrid } from './peers/grid-peer.ts';
import { openMongoPeer } from './peers/mongo-peer.ts';
import { type MongoServer, startMongoServer } from './peers/mongo-server.ts';
import { type Peer, timed } from './peers/peers.ts';
import { openPostgisPeer } from './peers/postgis-peer.ts';
import { ProgramsMissing, requirePostgis, startPostgresServer } from './peers/postgres-server.ts';
import { targets } from './queries.ts';
import { buildReport, changesReport, countsReport, type Sized, smallCountsReport } from './report.ts';

type Stage = {
  readonly folder: string;
  /** Each is started when it is first needed. */
  readonly postgresUrl: () => Promise<string>;
  readonly mongoUrlOf: () => Promise<MongoServer>;
  readonly services: () => Promise<Stores>;
};
type Measured = Awaited<ReturnType<typeof measure>>;

await runMeasurement({ usage, readOptions, run, forPeople: [ProgramsMissing] });

async function run(opened: AsyncDisposableStack, options: Options): Promise<void> {
  if (comparesPeers(options)) requirePostgis();
  const folder = await openFolder(opened, options.cache);
  let stores: Stores | undefined;
  let postgres: Promise<string> | undefined;
  let mongo: Promise<MongoServer> | undefined;
  const stage: Stage = {
    folder,
    postgresUrl: () => (postgres ??= startPostgresServer(opened, { folder })),
    mongoUrlOf: () => (mongo ??= startMongoServer(opened, { folder, report: say })),
    services: async () => (stores ??= await openStores(opened, say)),
  };
  const sizes: { members: number; measured: Measured }[] = [];
  for (const members of options.members) {
    say(`\n${members} members`);
    sizes.push({ members, measured: await measure(stage, options, members) });
  }
  const when = circumstances();
  const tell = <Part extends keyof Measured>(
    part: Part,
    report: (sizes: Sized<NonNullable<Measured[Part]>>[]) => string,
  ) => {
    const parts = sizes.flatMap(({ members, measured }) => {
      const of = measured[part];
      return of === undefined ? [] : [{ members, measured: of }];
    });
    if (parts.length === 0) return;
    publish(`audience-${part}`, `${when}\n\n${report(parts)}`, options.write);
  };
  tell('counts', countsReport);
  tell('small', smallCountsReport);
  tell('changes', changesReport);
  tell('build', buildReport);
}

/** Closes what it opened before the next size is measured. */
async function measure(stage: Stage, options: Options, size: number) {
  await using opened = new AsyncDisposableStack();
  const asked = targets();
  const wants = (part: (typeof options.parts)[number]) => options.parts.includes(part);
  const population = populationOf(size);
  const [grid, fromColumnsSeconds] = await timed(() => buildGrid(population));
  const { count } = openLiveGrid(grid);
  say(`The grid is built in ${fromColumnsSeconds.toFixed(1)} s; filling the stores where need be ...`);
  const ours: Peer = {
    name: 'the grid',
    count,
    loadSeconds: fromColumnsSeconds,
    bytes: bytesOf(grid),
  };
  const database = `audience_${size}`;
  const mongoUrl = async () => (await stage.mongoUrlOf())(database);
  const postgis = comparesPeers(options) ? [await fillPostgis(opened, stage, { population, database })] : [];
  const mongo = needsMongo(options) ? [await openMongoPeer(opened, { url: await mongoUrl(), size })] : [];

  const countsOf = async (compared: readonly Peer[], targets: readonly Target[]) => ({
    peers: compared,
    ...(await measureCounts({ population, peers: compared, targets, rounds: options.rounds, report: say })),
  });
  const counts = wants('counts')
    ? await countsOf([ours, ...postgis, ...(options.countsInMongo ? mongo : [])], asked)
    : undefined;
  const small = wants('small') ? await countsOf([ours, ...postgis], targets('small')) : undefined;
  const build = wants('build')
    ? await measureBuild({
        stores: await stage.services(),
        grid,
        fromColumnsSeconds,
        mongoUrl: await mongoUrl(),
        report: say,
      })
    : undefined;
  const changes = wants('changes')
    ? await measureChanges({ population, grid, targets: asked, report: say })
    : undefined;
  return { counts, small, changes, build };
}

function comparesPeers({ parts }: Options): boolean {
  return parts.includes('counts') || parts.includes('small');
}

function needsMongo({ parts, countsInMongo }: Options): boolean {
  return parts.includes('build') || (countsInMongo && parts.includes('counts'));
}

async function fillPostgis(
  opened: AsyncDisposableStack,
  { folder, postgresUrl }: Stage,
  { population, database }: { population: Population; database: string },
): Promise<Peer> {
  const text = join(folder, `${database}.txt`);
  const file = async () => {
    await writeMembersFile(text, population);
    return text;
  };
  try {
    return await openPostgisPeer(opened, { serverUrl: await postgresUrl(), database, file });
  } finally {
    rmSync(text, { force: true });
  }
}
