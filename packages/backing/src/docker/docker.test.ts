import { describe, expect, it } from '@jest/globals';
import { type ContainerRunner, type DockerProbes, lookInDocker } from './docker.ts';

const runner: ContainerRunner = {
  check: async () => {},
  start: async (store) => ({ url: `in-docker://${store}`, stop: async () => {} }),
};

const healthy: DockerProbes = {
  daemonAnswers: async () => {},
  hasImage: async () => true,
  pull: async () => {
    throw new Error('must not pull a present image');
  },
};

function rejecting(reason: string): () => Promise<never> {
  return async () => {
    throw new Error(reason);
  };
}

describe('Docker', () => {
  it('runs a store whose image is present', async () => {
    const look = await lookInDocker(runner, healthy)('postgres');
    expect(look.why).toBe('image postgres:18 is present');
    expect(look.found && (await look.value()).url).toBe('in-docker://postgres');
  });

  it('runs a store whose image it pulls in time', async () => {
    const pulled: string[] = [];
    const probes: DockerProbes = {
      ...healthy,
      hasImage: async () => false,
      pull: async (image) => void pulled.push(image),
    };
    expect(await lookInDocker(runner, probes)('postgres')).toMatchObject({
      found: true,
      why: 'image postgres:18 was pulled',
    });
    expect(pulled).toEqual(['postgres:18']);
  });

  it('does not run a store whose image does not arrive in time', async () => {
    const probes: DockerProbes = {
      ...healthy,
      hasImage: async () => false,
      pull: rejecting('not within a minute'),
    };
    expect(await lookInDocker(runner, probes)('rabbitmq')).toEqual({
      found: false,
      why: 'image rabbitmq:4.2 is missing and could not be pulled (not within a minute)',
    });
  });

  it('runs no store when its daemon does not answer, and is asked once for all stores', async () => {
    let asked = 0;
    const look = lookInDocker(runner, {
      ...healthy,
      daemonAnswers: async () => {
        asked += 1;
        throw new Error('its daemon does not answer');
      },
    });
    const looks = await Promise.all([look('postgres'), look('mongo'), look('rabbitmq')]);
    expect(looks).toEqual(
      Array.from({ length: 3 }, () => ({ found: false, why: 'its daemon does not answer' })),
    );
    expect(asked).toBe(1);
  });

  it('runs no store when its runner cannot run containers', async () => {
    const noCompose = {
      ...runner,
      check: rejecting('neither `docker compose` nor docker-compose is installed'),
    };
    expect(await lookInDocker(noCompose, healthy)('mongo')).toMatchObject({ found: false });
  });
});
