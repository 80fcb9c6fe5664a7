/** Who sends mails, and from where. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { type Running, startProcess } from '../process.ts';
import { fillQueue, fillStore } from './mails.ts';

export type Stage = {
  readonly folder: string;
  readonly mongoUrl: string;
  readonly rabbitmqUrl: string;
  readonly smtpUrl: string;
};

export type Turn = {
  readonly title: string;
  readonly mails: number;
  readonly fill: (stage: Stage, mails: number) => Promise<void>;
  readonly start: (stage: Stage, mails: number) => Promise<readonly Running[]>;
};

export const alone = "nodemailer's pool alone";
export const fromStore = 'notifier, from the store';
const connections = 5;

const directory = fileURLToPath(new URL('../../services/notifier', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

export function turns(quick: boolean): readonly Turn[] {
  const mails = quick ? 500 : 4_000;
  const notifiers = (replicas: number) => (stage: Stage) => startNotifiers(stage, replicas);
  const store = ({ mongoUrl }: Stage, count: number) => fillStore(mongoUrl, count);
  return [
    { title: fromStore, mails, fill: store, start: notifiers(1) },
    { title: 'two notifiers, from the store', mails, fill: store, start: notifiers(2) },
    { title: 'notifier, from events in the queue', mails, fill: fillQueue, start: notifiers(1) },
    { title: alone, mails, fill: async () => {}, start: startNodemailer },
  ];
}

async function startNotifiers(stage: Stage, replicas: number): Promise<readonly Running[]> {
  const secret = () => randomBytes(24).toString('hex');
  const ports = await freePorts(replicas);
  return Promise.all(
    ports.map((port) =>
      startProcess({
        name: `notifier-${port}`,
        folder: stage.folder,
        cwd: directory,
        command: process.execPath,
        args: ['src/main.ts'],
        readyUrl: `http://127.0.0.1:${port}/readyz`,
        env: {
          NODE_ENV: 'production',
          PORT: `${port}`,
          MONGO_URL: stage.mongoUrl,
          RABBITMQ_URL: stage.rabbitmqUrl,
          SMTP_URL: stage.smtpUrl,
          SMTP_CONNECTIONS: `${connections}`,
          MAIL_FROM: 'Offers <offers@ads.example>',
          PORTAL_URL: 'http://127.0.0.1:9/portal',
          ADMIN_TOKEN_HASHES: adminTokenHashes,
          NOTIFIER_CONTEXT_SECRET: secret(),
          UNSUBSCRIBE_SECRET: secret(),
        },
      }),
    ),
  );
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
