/** `npm run bench:notifier`: mails per second into one sink, beside the pool of the library that sends them. See bench/README.md. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { readOptions, type UsualOptions } from '../command-line.ts';
import { median, overRounds, percent, shown, table } from '../markdown.ts';
import { type Running, startProcess } from '../process.ts';
import { measureByTurns, measureProgress, type Sample } from '../progress.ts';
import { circumstances, publish, runMeasurement, say } from '../run-measurement.ts';
import { openStores } from '../stores.ts';
import { dropDatabase, fillQueue, fillStore } from './mails.ts';
import { startNotifier } from './notifier-process.ts';

const usage = `npm run bench:notifier -- [--rounds 5] [--quick] [--write]
  --quick   one short round of the first and the last row: shows that it works, measures nothing
  --write   puts the table into bench/README.md`;

const aim = 200;
const timesAim = 3;
const connections = 5;
const slowMs = 50;
/** A mail that is sent twice comes twice within this time. */
const afterwardsMs = 1_000;

type Stage = { readonly mongoUrl: string; readonly rabbitmqUrl: string };
type Turn = {
  readonly title: string;
  /** A mail server far away; by default it answers at once. */
  readonly answerAfterMs?: number;
  /** Share of the mails; by default a quarter. */
  readonly warmUp?: number;
  readonly share?: number;
  readonly fill?: (stage: Stage, mails: number) => Promise<void>;
  /** 0: the library alone. */
  readonly replicas: number;
};

const alone: Turn = { title: "nodemailer's pool alone", replicas: 0 };
const fromStore: Turn = { title: 'notifier, from the store', fill: fillStore, replicas: 1 };
const oneSlow: Turn = { ...fromStore, title: 'one, slow', answerAfterMs: slowMs, share: 0.25 };
const fourSlow: Turn = { ...oneSlow, title: 'four, slow', replicas: 4, share: 1 };
const turns: readonly Turn[] = [
  fromStore,
  { ...fromStore, title: 'two notifiers, from the store', replicas: 2 },
  // From the beginning, because all events are stored before the first quarter of the mails is sent.
  { title: 'notifier, from events in the queue', warmUp: 0, fill: fillQueue, replicas: 1 },
  oneSlow,
  fourSlow,
  alone,
];

await runMeasurement({ usage, readOptions: (args) => readOptions(args, { rounds: 5 }), run });

async function run(opened: AsyncDisposableStack, o: UsualOptions): Promise<void> {
  const { folder, backing } = await openStores(opened, say);
  const { mongoUrl: serverUrl, rabbitmqUrl } = backing;
  const sink = await startSink(opened, folder);
  const all = o.quick ? [fromStore, alone] : turns;
  const samples = await measureByTurns(all, { ...o, report: say }, async (turn, round) => {
    await using sending = new AsyncDisposableStack();
    const mongoUrl = new URL(serverUrl);
    mongoUrl.pathname = `/bench_${process.pid}_${round}_${turns.indexOf(turn)}`;
    const stage = { mongoUrl: mongoUrl.href, rabbitmqUrl };
    const mails = (o.quick ? 300 : 4_000) * (turn.share ?? 1);
    await sink.forget(turn.answerAfterMs ?? 0);
    await turn.fill?.(stage, mails);
    sending.defer(() => dropDatabase(stage.mongoUrl));
    const sample = await measureProgress({
      count: mails,
      warmUp: turn.warmUp,
      begin: async () => (await start(turn, stage, mails)).map((running) => sending.use(running).pid),
      done: async () => (await sink.taken()).mails,
    });
    await pause(afterwardsMs);
    const taken = await sink.taken();
    if (taken.mails !== mails || taken.different !== mails)
      throw new Error(`${turn.title}: ${taken.mails} mails, ${taken.different} different ones of ${mails}`);
    return sample;
  });
  publish('notifier', `${circumstances()} ${report(samples)}`, o.write);

  async function start({ replicas }: Turn, stage: Stage, mails: number): Promise<readonly Running[]> {
    const settings = { SMTP_URL: sink.smtpUrl, SMTP_CONNECTIONS: `${connections}` };
    const { mongoUrl: MONGO_URL, rabbitmqUrl: RABBITMQ_URL } = stage;
    const ports = await freePorts(Math.max(1, replicas));
    return Promise.all(
      ports.map((port) =>
        replicas > 0
          ? startNotifier(folder, port, { ...settings, MONGO_URL, RABBITMQ_URL })
          : startHere(folder, 'nodemailer-alone', { ...settings, PORT: `${port}`, MAILS: `${mails}` }),
      ),
    );
  }
}

function startHere(folder: string, name: string, env: Record<string, string>): Promise<Running> {
  return startProcess({
    name: `${name}-${env.PORT}`,
    folder,
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    command: process.execPath,
    args: [`${name}.ts`],
    readyUrl: `http://127.0.0.1:${env.PORT}/`,
    env,
  });
}

async function startSink(opened: AsyncDisposableStack, folder: string) {
  const [port = 0, smtpPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}/`;
  opened.use(await startHere(folder, 'sink', { PORT: `${port}`, SMTP_PORT: `${smtpPort}` }));
  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    taken: async () => (await (await fetch(url)).json()) as { mails: number; different: number },
    /** From then on it answers each mail after so many milliseconds. */
    forget: async (ms: number) => void (await fetch(`${url}?answerAfterMs=${ms}`, { method: 'DELETE' })),
  };
}

function report(samples: ReadonlyMap<Turn, readonly Sample[]>): string {
  const cell = (turn: Turn, of: (sample: Sample) => number) =>
    overRounds((samples.get(turn) ?? []).map(of), 0);
  const rate = ({ perSecond }: Sample) => perSecond;
  const rateOf = (turn: Turn) => median((samples.get(turn) ?? []).map(rate));
  const atOnce = [...samples.keys()].filter(({ answerAfterMs }) => answerAfterMs === undefined);
  const slowest = Math.min(...atOnce.filter((turn) => turn !== alone).map(rateOf));
  const times = rateOf(fourSlow) / rateOf(oneSlow);
  const disturbed = Math.max(...[...samples.values()].flat().map(({ foreignLoad }) => foreignLoad));
  return [
    `Medians, in brackets the least and the most. Other processes took at most ${percent(disturbed)} of the cores.`,
    table(
      ['', 'mails/s', `of ${alone.title}`, 'CPU µs/mail, who sends', 'CPU µs/mail, all'],
      atOnce.map((turn) => [
        turn.title,
        cell(turn, rate),
        percent(rateOf(turn) / rateOf(alone)),
        cell(turn, ({ cpuMicros }) => cpuMicros),
        cell(turn, ({ cpuMicrosInAll }) => cpuMicrosInAll),
      ]),
    ),
    `Aim: at least ${shown(aim)} mails a second. The slowest of our rows has ${shown(slowest)} ${slowest >= aim ? '✓' : '✗'}.`,
    ...(samples.has(fourSlow)
      ? [
          `The server answers after ${slowMs} ms: one notifier sends ${cell(oneSlow, rate)} mails a second, four send ${cell(fourSlow, rate)}, ${times.toFixed(1)} times as many, aim: at least ${timesAim} ${times >= timesAim ? '✓' : '✗'}.`,
        ]
      : []),
  ].join('\n\n');
}
