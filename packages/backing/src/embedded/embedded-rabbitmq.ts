/**
 * A RabbitMQ node that shares nothing with another node of the machine: it has its own name, cookie, ports, data and epmd. (Epmd is
 * Erlang's port mapper. A node would start it as a daemon that stays when the node has ended.)
 */

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePorts } from '../free-port.ts';
import { onPath } from '../on-path.ts';
import { answers, type RunningStore } from '../stores.ts';
import { startServer } from './server-process.ts';

export async function startEmbeddedRabbitmq(
  serverScript: string,
  { folder }: { folder: string },
): Promise<RunningStore> {
  const home = join(folder, 'rabbitmq');
  prepareHome(home);
  const [port, distributionPort, epmdPort] = (await freePorts(3)) as [number, number, number];
  const url = `amqp://guest:guest@127.0.0.1:${port}`;

  const stopEpmd = await startServer({
    name: 'epmd',
    folder,
    command: onPath('epmd') ?? 'epmd',
    args: ['-address', '127.0.0.1', '-port', String(epmdPort), '-relaxed_command_check'],
    stopSignal: 'SIGTERM',
    ready: () => listens(epmdPort),
  });
  try {
    const stopNode = await startServer({
      name: 'rabbitmq',
      folder,
      command: serverScript,
      args: [],
      env: nodeEnvironment(home, { port, distributionPort, epmdPort }),
      stopSignal: 'SIGTERM',
      ready: () => answers.rabbitmq(url),
    });
    const stop = async () => {
      await stopNode();
      await stopEpmd();
    };
    return { url, stop };
  } catch (error) {
    await stopEpmd();
    throw error;
  }
}

function prepareHome(home: string): void {
  mkdirSync(home, { recursive: true });
  // Nodes with the same cookie can control each other.
  const cookie = join(home, '.erlang.cookie');
  if (!existsSync(cookie)) writeFileSync(cookie, randomBytes(24).toString('hex'), { mode: 0o400 });
  writeFileSync(join(home, 'enabled_plugins'), '[].\n');
  // The default alarm blocks publishers when the disk has less than 50 MB; this one does so earlier.
  writeFileSync(join(home, 'rabbitmq.conf'), 'disk_free_limit.absolute = 200MB\n');
}

type Ports = { readonly port: number; readonly distributionPort: number; readonly epmdPort: number };

function nodeEnvironment(home: string, ports: Ports): Record<string, string> {
  return {
    HOME: home,
    // Always the same name, because it is part of the path of the data.
    RABBITMQ_NODENAME: 'offer-ads@localhost',
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(ports.port),
    RABBITMQ_DIST_PORT: String(ports.distributionPort),
    ERL_EPMD_PORT: String(ports.epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_MNESIA_BASE: join(home, 'data'),
    RABBITMQ_LOG_BASE: join(home, 'log'),
    RABBITMQ_PID_FILE: join(home, 'pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(home, 'enabled_plugins'),
    RABBITMQ_CONFIG_FILE: join(home, 'rabbitmq'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(home, 'advanced'),
    // Otherwise the settings of the machine's own node would apply.
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
  };
}

function listens(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}
