/** The stores in containers of one test run. */

import type { Store } from '../stores.ts';
import { containerPorts, images, readyContainer } from './containers.ts';
import { type ContainerRunner, hasImage, pull } from './docker.ts';

/** This container removes the others when a run is killed. testcontainers 12 uses this version. */
const REAPER_IMAGE = 'testcontainers/ryuk:0.14.0';

export const testcontainers: ContainerRunner = {
  check: async () => {
    const { getContainerRuntimeClient } = await library();
    await getContainerRuntimeClient();
    if (await hasImage(REAPER_IMAGE)) return;
    try {
      await pull(REAPER_IMAGE);
    } catch {
      // Without it the containers of a killed run stay, which is better than no containers.
      process.env.TESTCONTAINERS_RYUK_DISABLED = 'true';
    }
  },
  start: async (store) => {
    const { GenericContainer, Wait } = await library();
    const port = containerPorts[store];
    const { env, command } = settings[store];
    const container = await new GenericContainer(images[store])
      .withEnvironment(env)
      .withCommand(command)
      .withExposedPorts(port)
      .withWaitStrategy(Wait.forListeningPorts())
      .start();
    const stop = async () => {
      await container.stop();
    };
    try {
      const url = await readyContainer(store, `${container.getHost()}:${container.getMappedPort(port)}`);
      return { url, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

/** Imported only when needed, because it loads a Docker client. */
const library = () => import('testcontainers');

/** The data of one test run needs no fsync. */
const withoutFsync = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];

const settings: Record<Store, { readonly env: Record<string, string>; readonly command: string[] }> = {
  postgres: {
    env: { POSTGRES_HOST_AUTH_METHOD: 'trust' },
    command: ['postgres', ...withoutFsync.flatMap((setting) => ['-c', setting])],
  },
  mongo: { env: {}, command: ['mongod', '--replSet', 'rs0', '--bind_ip_all'] },
  rabbitmq: { env: {}, command: ['rabbitmq-server'] },
  valkey: { env: {}, command: ['valkey-server', '--save', '', '--appendonly', 'no'] },
};
