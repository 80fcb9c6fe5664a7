/** One connection to RabbitMQ that reconnects after every failure and is then set up again. */
import type { Socket } from 'node:net';
import { type Channel, type ChannelModel, connect } from 'amqplib';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { within } from './publishing.ts';

/** A connection while it lasts. */
export type Line = {
  readonly model: ChannelModel;
  /** When the channel closes, the whole connection is reset, so that every fault is repaired in the same way: by a new set-up. */
  readonly guard: <C extends Channel>(channel: C) => C;
  /** Closes the connection and opens a new one. */
  readonly reset: () => void;
};

export type KeptConnection<T> = AsyncDisposable & {
  /** The result of the latest set-up; undefined while the broker is unreachable. */
  readonly current: () => T | undefined;
};

/** A start waits this long for its first attempt to connect, and continues without a broker if that fails; readiness reports that. */
const FIRST_ATTEMPT_WAIT_MS = 2_000;
const RECONNECT = { initialDelay: 200, maxDelay: 5_000 } as const;
const OPENING_TIMEOUT_MS = 5_000;
const CLOSING_TIMEOUT_MS = 2_000;
const HEARTBEAT_SECONDS = 10;

export async function keepConnected<T>(o: {
  url: string;
  logger: Logger;
  metrics: Metrics;
  setUp: (line: Line) => Promise<T>;
}): Promise<KeptConnection<T>> {
  const { logger } = o;
  const up = o.metrics.gauge({ name: 'broker_connected', help: '1 while the broker connection is up' });
  let current: { readonly model: ChannelModel; readonly made: T } | undefined;

  function lineOn(model: ChannelModel): Line {
    const reset = () => {
      if (current?.model === model) current = undefined;
      // It may be closing already.
      model.close().catch(() => {});
    };
    return {
      model,
      reset,
      guard: (channel) => {
        channel.on('error', (error) => logger.warn({ error }, 'broker channel failed'));
        channel.on('close', () => {
          if (current?.model === model) reset();
        });
        return channel;
      },
    };
  }

  const connection = await connect(withHeartbeat(o.url), {
    noDelay: true,
    keepAlive: true,
    timeout: OPENING_TIMEOUT_MS,
    recovery: {
      ...RECONNECT,
      waitForConnect: false,
      setup: async (model: ChannelModel) => {
        // Listen before anything else: without a listener a reset during the set-up would end the process.
        model.on('error', (error) => logger.warn({ error }, 'broker connection failed'));
        writeTogether(model);
        current = { model, made: await o.setUp(lineOn(model)) };
        up.set(1);
      },
    },
  });
  connection.on('error', (error) => logger.warn({ error }, 'broker connection failed'));
  connection.on('connect', () => logger.info('broker connected'));
  connection.on('connect-failed', (error) => logger.warn({ error }, 'broker not reachable, trying again'));
  connection.on('disconnect', (error) => {
    current = undefined;
    up.set(0);
    logger.warn({ error }, 'broker connection lost, reconnecting');
  });
  const failed = new Promise((resolve) => void connection.once('connect-failed', resolve));
  const firstAttempt = Promise.race([connection.waitForConnect(), failed]);
  await within(FIRST_ATTEMPT_WAIT_MS, firstAttempt, 'not connected yet').catch(() => {});

  return {
    current: () => current?.made,
    [Symbol.asyncDispose]: async () => {
      current = undefined;
      await within(CLOSING_TIMEOUT_MS, connection.close(), 'the end of the connection not confirmed').catch(
        () => {},
      );
    },
  };
}

/**
 * Sends what is written in one turn of the event loop by one call of the system. amqplib writes each message and each acknowledgement by
 * itself, and the broker then reads them one by one too.
 */
function writeTogether({ connection }: ChannelModel): void {
  const { stream } = connection as typeof connection & { readonly stream: Socket };
  const write = stream.write.bind(stream);
  stream.write = ((...written: Parameters<typeof write>) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return write(...written);
  }) as typeof write;
}

/** Heartbeats detect a broker that is gone without having closed the connection. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat'))
    address.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return address.href;
}
