/** Who sends mails, and from where. */
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { type Running, startProcess } from '../process.ts';
import { fillQueue, fillStore } from './mails.ts';
import { startNotifier } from './notifier-process.ts';

export type Stage = {
  readonly folder: string;
  readonly mongoUrl: string;
  readonly rabbitmqUrl: string;
  readonly smtpUrl: string;
};

export type Turn = {
  readonly title: string;
  readonly mails: number;
  /** A mail server far away; by default it answers at once. */
  readonly answerAfterMs?: number;
  /** Share of the mails; by default a quarter. */
  readonly warmUp?: number;
  readonly fill: (stage: Stage, mails: number) => Promise<void>;
  readonly start: (stage: Stage, mails: number) => Promise<readonly Running[]>;
};

export const alone = "nodemailer's pool alone";
export const fromStore = 'notifier, from the store';
export const slowMs = 50;
export const oneSlow = `one notifier, answers after ${slowMs} ms`;
export const fourSlow = `four notifiers, answers after ${slowMs} ms`;
const connections = 5;

const here = fileURLToPath(new URL('.', import.meta.url));

export function turns(quick: boolean): readonly Turn[] {
  const mails = quick ? 500 : 4_000;
  const notifiers = (replicas: number) => (stage: Stage) => startNotifiers(stage, replicas);
  const store = ({ mongoUrl }: Stage, count: number) => fillStore(mongoUrl, count);
  return [
    { title: fromStore, mails, fill: store, start: notifiers(1) },
    { title: 'two notifiers, from the store', mails, fill: store, start: notifiers(2) },
    // From the beginning, because all events are stored before the first quarter of the mails is sent.
    { title: 'notifier, from events in the queue', mails, warmUp: 0, fill: fillQueue, start: notifiers(1) },
    { title: oneSlow, mails: mails / 4, answerAfterMs: slowMs, fill: store, start: notifiers(1) },
    { title: fourSlow, mails, answerAfterMs: slowMs, fill: store, start: notifiers(4) },
    { title: alone, mails, fill: async () => {}, start: startNodemailer },
  ];
}

async function startNotifiers(stage: Stage, replicas: number): Promise<readonly Running[]> {
  const settings = {
    MONGO_URL: stage.mongoUrl,
    RABBITMQ_URL: stage.rabbitmqUrl,
    SMTP_URL: stage.smtpUrl,
    SMTP_CONNECTIONS: `${connections}`,
  };
  const ports = await freePorts(replicas);
  return Promise.all(ports.map((port) => startNotifier(stage.folder, port, settings)));
}

async function startNodemailer(stage: Stage, mails: number): Promise<readonly Running[]> {
  const [port = 0] = await freePorts(1);
  return [
    await startProcess({
      name: `nodemailer-${port}`,
      folder: stage.folder,
      cwd: here,
      command: process.execPath,
      args: ['nodemailer-alone.ts'],
      readyUrl: `http://127.0.0.1:${port}/`,
      env: {
        PORT: `${port}`,
        SMTP_URL: stage.smtpUrl,
        SMTP_CONNECTIONS: `${connections}`,
        MAILS: `${mails}`,
      },
    }),
  ];
}
