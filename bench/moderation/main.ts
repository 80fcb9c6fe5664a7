/** `npm run bench:moderation`: pictures per second, and memory. See bench/README.md. */
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { closedLoop } from '../closed-loop.ts';
import { readOptions, type UsualOptions } from '../command-line.ts';
import { cpuMsOf } from '../cpu.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { median, overRounds, percent, percentile, shown, table } from '../markdown.ts';
import { circumstances, publish, runMeasurement } from '../run-measurement.ts';
import { openFolder, startMongo } from '../stores.ts';
import { atOnce, type Service, startService } from './service.ts';

const usage = `npm run bench:moderation -- [--rounds 3] [--quick] [--write]
  --quick   one short round and 16 images: shows that it works, measures nothing
  --write   puts the tables into bench/README.md`;

/** What 2,000 pictures may add to the memory after 500: noise of the allocator, and no leak. */
const flatShare = 0.1;

await runMeasurement({ usage, readOptions: (args) => readOptions(args, { rounds: 3 }), run });

async function run(opened: AsyncDisposableStack, o: UsualOptions): Promise<void> {
  const folder = await openFolder(opened);
  const mongoUrl = await startMongo(opened, folder);
  const picture = await photographLikeJpeg({ width: 1_080, height: 1_080 });
  const service = await startService(opened, { folder, mongoUrl, picture });
  const rounds: Round[] = [];
  for (let round = 0; round < o.rounds; round += 1)
    rounds.push(
      await measureRound(service, o.quick ? { warmUp: 0, seconds: 1 } : { warmUp: 3, seconds: 12 }),
    );
  const memory = await measureMemory(service, o.quick ? 4 : 500);
  const intro = `A JPEG of 1080 x 1080 (${shown(picture.length / 1_000)} KB), ${atOnce} at once over HTTP, none known before.`;
  publish('moderation', `${circumstances()} ${intro} ${report(rounds, memory)}`, o.write);
}

type Round = {
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
  /** Processor time of the service for each picture. */
  readonly cpuMs: number;
  readonly foreignLoad: number;
};

async function measureRound(service: Service, o: { warmUp: number; seconds: number }): Promise<Round> {
  await closedLoop(service.judge, { atOnce, seconds: o.warmUp });
  await waitUntilIdle();
  const foreignLoad = watchForeignLoad();
  const cpuBefore = cpuMsOf(service.pid);
  const { done, seconds, latenciesMs } = await closedLoop(service.judge, {
    atOnce,
    seconds: o.seconds,
  });
  const cpuMs = (cpuMsOf(service.pid) - cpuBefore) / done;
  return { perSecond: done / seconds, latenciesMs, cpuMs, foreignLoad: foreignLoad() };
}

/** Megabytes, four times, after as many pictures each: medians, because buffers that wait to be collected are tens of megabytes. */
async function measureMemory(
  service: Service,
  pictures: number,
): Promise<readonly (readonly [number, number])[]> {
  const memory: [pictures: number, megabytes: number][] = [];
  for (let part = 1; part <= 4; part += 1) {
    const seen: number[] = [];
    for (let judged = 0; judged < pictures; judged += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, service.judge));
      seen.push(service.memoryBytes() / 1e6);
    }
    memory.push([part * pictures, median(seen)]);
  }
  return memory;
}

function report(rounds: readonly Round[], memory: readonly (readonly [number, number])[]): string {
  const cell = (of: (round: Round) => number, digits = 0) => overRounds(rounds.map(of), digits);
  const megabytes = memory.map(([, value]) => value);
  const growth = Math.max(...megabytes) / (megabytes[0] ?? 0) - 1;
  return [
    `${rounds.length} rounds; medians, in brackets the least and the most. Other processes took at most ${percent(Math.max(...rounds.map(({ foreignLoad }) => foreignLoad)))} of the cores.`,
    table(
      ['pictures/s', 'p50 ms', 'p99 ms', 'CPU ms a picture'],
      [
        [
          cell(({ perSecond }) => perSecond, 1),
          cell(({ latenciesMs }) => percentile(latenciesMs, 50)),
          cell(({ latenciesMs }) => percentile(latenciesMs, 99)),
          cell(({ cpuMs }) => cpuMs),
        ],
      ],
    ),
    table(
      ['pictures judged', ...memory.map(([pictures]) => shown(pictures))],
      [['memory, MB', ...megabytes.map((value) => shown(value))]],
    ),
    `At most ${percent(growth)} above the first, aim: at most ${percent(flatShare)} ${growth <= flatShare ? '✓' : '✗'}.`,
  ].join('\n\n');
}
