/** The containers of docker-compose.yml: their rights, networks, order of start and files. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { images } from '@offer-ads/backing/docker/containers';
import { stores } from '@offer-ads/backing/stores';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import { allowed } from '@offer-ads/k8s/checks/network-policies';
import { type Container, checkEach, workload } from '@offer-ads/k8s/checks/workloads';
import { parse } from 'yaml';
import { type ComposeService, composeFile, resolved } from './file.ts';
import { firstEnv } from './first-env.ts';
import { inventFiles, storeFiles } from './secrets.ts';

const file = resolved(parseEnv(firstEnv) as Record<string, string>);
const all = Object.entries(file.services);
const names = all.map(([name]) => name);
const service = (name: string) => file.services[name]!;
const isOneShot = (name: string) => service(name).restart === 'no';
const ofRepository = (path: string) => readFileSync(join(repository, path), 'utf8');
const dockerfile = ofRepository('Dockerfile');
const secrets = inventFiles();
type Volume = NonNullable<ComposeService['volumes']>[number];
const targetOf = (volume: Volume) => (typeof volume === 'string' ? volume.split(':')[1] : volume.target);

const prometheus = parse(ofRepository('deploy/compose/prometheus.yml')) as {
  rule_files: string[];
  scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
};
const scrapedHosts = prometheus.scrape_configs.flatMap(({ static_configs }) =>
  static_configs.flatMap(({ targets }) => targets.map((target) => target.split(':')[0] ?? '')),
);

describe('every container', () => {
  it('writes only to its volumes, and has no privileges and a limit of memory and processes', () => {
    checkEach(all, (one) =>
      expect(one).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
        pids_limit: expect.any(Number),
      }),
    );
  });

  it('does not run as root', () => {
    expect(dockerfile).toContain('USER 1000:1000');
    checkEach(all, (one, name) => {
      // The images of the collector and of the trace viewer have a user of their own.
      const hasUser = one.image.startsWith('offer-ads/') || ['otel-collector', 'jaeger'].includes(name);
      if (hasUser) expect(one.user).toBeUndefined();
      else expect(one.user).toMatch(/^[1-9]\d*:\d+$/);
    });
  });

  it('has a bounded log, and is restarted when it ends', () => {
    checkEach(all, (one) => {
      expect(one).toMatchObject({
        logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } },
      });
      expect(one.restart).toMatch(/^(unless-stopped|no)$/);
    });
  });

  it('runs a fixed version of its image, which a setting can replace', () => {
    checkEach(all, (one, name) => {
      expect(one.image).toMatch(/^[\w./-]+:(v?\d+[\w.-]*|dev)(@sha256:[0-9a-f]{64})?$/);
      const other = {
        ...parseEnv(firstEnv),
        [`${name.split('-')[0]!.toUpperCase()}_IMAGE`]: 'other/image:1',
        IMAGE_PREFIX: 'other',
        IMAGE_TAG: '1',
        OTEL_COLLECTOR_IMAGE: 'other/image:1',
      };
      expect(resolved(other as Record<string, string>).services[name]?.image).toMatch(/^other\/\w+:1$/);
    });
  });

  it('has a health check, if its image has a program for one', () => {
    const hasNone = ([name]: readonly [string, unknown]) =>
      isOneShot(name) || ['otel-collector', 'jaeger'].includes(name);
    checkEach(
      all.filter((each) => !hasNone(each)),
      (one) => {
        if (one.build === undefined) return expect(one.healthcheck?.test).toBeDefined();
        const [stage, path] =
          one.build.target === 'simulators' ? ['simulators', '/livez'] : ['service', '/readyz'];
        const ofImage = `AS ${stage}\\n(?:(?!FROM)[^])*HEALTHCHECK .*\\$\\{process\\.env\\.PORT\\}${path}`;
        expect(dockerfile).toMatch(new RegExp(ofImage));
      },
    );
  });

  it('can be reached only from this machine', () => {
    checkEach(all, ({ ports = [] }) => {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    });
  });

  it('mounts volumes, files and secrets that exist', () => {
    checkEach(all, (one) => {
      for (const volume of one.volumes ?? []) {
        const source = typeof volume === 'string' ? volume.split(':')[0]! : volume.source;
        const isThere = /[./]/.test(source) ? existsSync(join(repository, source)) : source in file.volumes;
        expect([source, isThere]).toEqual([source, true]);
      }
      for (const secret of one.secrets ?? []) expect(file.secrets).toHaveProperty([secret]);
    });
  });
});

describe('the health checks of our images', () => {
  it('are rare and have time, because each starts Node on a machine that may be busy', () => {
    const checks = [...dockerfile.matchAll(/HEALTHCHECK --interval=(\d+)s --timeout=(\d+)s .*/g)];
    expect(checks).toHaveLength(2);
    for (const [check, interval, timeout] of checks) {
      expect([Number(interval) >= 10, Number(timeout) >= 10]).toEqual([true, true]);
      // `fetch` loads twice as much code.
      expect(check).not.toContain('fetch');
    }
  });
});

describe.each(serviceNames)('%s', (name) => {
  it('has the memory, the time to stop and the folders of its pod in Kubernetes', () => {
    const { pod } = workload('production', name);
    const [container] = pod.containers as readonly [Container];
    const bytes = (text: string) => Number.parseInt(text, 10) * (/g/i.test(text) ? 1024 : 1);
    expect(bytes(service(name).mem_limit!)).toBe(bytes(container.resources.limits.memory!));
    const preStop = container.lifecycle?.preStop.sleep.seconds ?? 0;
    expect(service(name).stop_grace_period).toBe(`${pod.terminationGracePeriodSeconds - preStop}s`);
    expect(service(name).tmpfs).toEqual(['/tmp:size=64m,mode=1777']);
  });

  it('has a volume for each folder in its settings', () => {
    const folders = Object.values(service(name).environment ?? {}).flatMap(
      (value) => /^(?:file:\/\/)?(\/data\/.+)$/.exec(String(value))?.[1] ?? [],
    );
    const volumes = (service(name).volumes ?? []).map(targetOf);
    for (const folder of folders) expect(volumes).toContain(folder.split('/').slice(0, 2).join('/'));
  });
});

describe('the order of a start', () => {
  const after = (name: string) =>
    Object.fromEntries(
      Object.entries(service(name).depends_on ?? {}).map(([other, { condition }]) => [other, condition]),
    );
  const healthy = (...others: string[]) =>
    Object.fromEntries(others.map((other) => [other, 'service_healthy']));
  const done = (...others: string[]) =>
    Object.fromEntries(others.map((other) => [other, 'service_completed_successfully']));

  it('is: stores, their users, migrations, then services before their callers', () => {
    expect(
      Object.fromEntries(
        names.map((name) => [name, after(name)]).filter(([, of]) => Object.keys(of!).length > 0),
      ),
    ).toEqual({
      'postgres-set-up': healthy('postgres'),
      'mongo-set-up': healthy('mongo'),
      'gateway-migrations': done('postgres-set-up'),
      'offers-migrations': done('postgres-set-up'),
      'billing-migrations': done('postgres-set-up'),
      billing: { ...done('billing-migrations'), ...healthy('rabbitmq') },
      pricing: { ...done('mongo-set-up'), ...healthy('rabbitmq') },
      moderation: done('mongo-set-up'),
      notifier: { ...done('mongo-set-up'), ...healthy('rabbitmq') },
      offers: { ...done('offers-migrations'), ...healthy('rabbitmq', 'pricing', 'billing', 'moderation') },
      gateway: {
        ...done('gateway-migrations'),
        ...healthy('rabbitmq', 'valkey', 'offers', 'pricing', 'billing', 'notifier'),
      },
    });
  });

  it('waits for the end of set-up jobs, and for the health of all others', () => {
    for (const name of names)
      for (const [other, condition] of Object.entries(after(name)))
        expect([other, condition === 'service_completed_successfully']).toEqual([other, isOneShot(other)]);
  });

  it('waits for no container of a profile', () => {
    for (const name of names)
      for (const other of Object.keys(after(name))) expect(service(other).profiles).toBeUndefined();
  });

  it('migrates every database that has migrations', () => {
    for (const name of serviceNames) {
      const migrates = existsSync(join(repository, 'services', name, 'src/migrate.ts'));
      expect([name, names.includes(`${name}-migrations`)]).toEqual([name, migrates]);
      if (!migrates) continue;
      const variable = `${name.toUpperCase()}_DATABASE_URL_FILE`;
      const { image, command, environment } = service(`${name}-migrations`);
      expect({ image, command }).toEqual({ image: service(name).image, command: ['node', 'src/migrate.ts'] });
      expect(environment).toEqual({ [variable]: service(name).environment?.[variable] });
    }
  });
});

describe('the networks', () => {
  const networksOf = (name: string): readonly string[] => service(name).networks ?? [];
  /** The hosts and ports in the settings and secrets of a container. */
  function addressesOf(name: string): string[] {
    const { environment = {}, secrets: handed = [] } = service(name);
    const values = [
      ...Object.values(environment).map(String),
      ...handed.map((one) => secrets.get(one) ?? ''),
    ];
    return values.flatMap((value) => /\w:\/\/(?:[^@/]*@)?([a-z][a-z-]+:\d+)/.exec(value)?.[1] ?? []);
  }
  it.each(names.filter((name) => addressesOf(name).length > 0))(
    'let %s reach every address in its settings',
    (name) => {
      for (const address of addressesOf(name).filter((one) => !one.startsWith('localhost'))) {
        const [host = ''] = address.split(':');
        const shared = networksOf(name).filter((network) => networksOf(host).includes(network));
        expect([address, shared.length > 0]).toEqual([address, true]);
      }
    },
  );

  const membersOf = (network: string) => names.filter((name) => networksOf(name).includes(network));
  const isIn = (group: readonly string[], pair: readonly string[]) =>
    pair.every((one) => group.includes(one));
  /** Programs that staff use. */
  const tools = ['admin', 'console', 'prometheus', 'otel-collector', 'jaeger', 'grafana'];
  const pair = (one: string, other: string) => [one, other].toSorted();

  it('connect two containers only if one calls the other', () => {
    const calls = names.flatMap((name) =>
      addressesOf(name).map((address) => pair(name, address.split(':')[0] ?? '').join(' ')),
    );
    const scraped = scrapedHosts.map((host) => pair('prometheus', host).join(' '));
    const traced = [...serviceNames, 'console'].map((name) => pair('otel-collector', name).join(' '));
    const arrows = new Set([...calls, ...scraped, ...traced]);
    // Migrations use the service's image and database.
    const programOf = (name: string) => name.replace(/-migrations$/, '');
    const needless = Object.keys(file.networks).flatMap((network) => {
      const members = [...new Set(membersOf(network).map(programOf))];
      return members.flatMap((one, index) =>
        members
          .slice(index + 1)
          .map((other) => pair(one, other))
          // Stores call nothing. Tools share the networks of the services that they call.
          .filter((two) => !arrows.has(two.join(' ')) && !isIn(stores, two) && !isIn(tools, two))
          .map((two) => `${network}: ${two.join(' - ')}`),
      );
    });
    expect(needless).toEqual([]);
  });

  const outward = (name: string) => networksOf(name).filter((network) => !file.networks[network]?.internal);
  const masquerade = 'com.docker.network.bridge.enable_ip_masquerade';
  const leadsOut = (network: string) => file.networks[network]?.driver_opts?.[masquerade] !== 'false';

  it('let the same services out as Kubernetes does, and the simulators', () => {
    const out = names.filter((name) => outward(name).some(leadsOut));
    const inKubernetes = allowed('production', 'egress').filter((arrow) => arrow.includes('-> internet:'));
    const callers = new Set(inKubernetes.map((arrow) => arrow.split(' ')[0] ?? ''));
    const services = [...serviceNames, 'console'].filter((name) => callers.has(name));
    const simulators = names.filter((name) => name.endsWith('-simulator'));
    expect(out.toSorted()).toEqual([...services, ...simulators].toSorted());
  });

  it('give a container with ports or with calls to the outside one network for both, so that its route is certain', () => {
    for (const name of names) {
      const needsOne = service(name).ports !== undefined || outward(name).length > 0;
      // It may be reached through either network.
      const expected = name === 'prometheus' ? 2 : 1;
      expect([name, outward(name).length]).toEqual([name, needsOne ? expected : 0]);
    }
  });

  it('have a listener at every port in the settings', () => {
    const ports: Record<string, number[]> = {
      postgres: [5432],
      mongo: [27017],
      rabbitmq: [5672],
      valkey: [6379],
      'mail-simulator': [1025, 8080],
      'otel-collector': [4318],
    };
    for (const name of names)
      for (const address of addressesOf(name).filter((one) => !one.startsWith('localhost'))) {
        const [host = '', port = ''] = address.split(':');
        const known = ports[host] ?? (serviceNames.some((name) => name === host) ? [8080, 9080] : [8080]);
        expect([address, known.includes(Number(port))]).toEqual([address, true]);
      }
    for (const name of [
      ...serviceNames,
      'stripe-simulator',
      'rates-simulator',
      'mail-simulator',
      'identity-simulator',
    ])
      expect(service(name).environment?.PORT).toBe(8080);
  });
});

describe('the stores', () => {
  it('have the versions of tests, npm start and Kubernetes', () => {
    for (const store of stores) expect(service(store).image).toMatch(new RegExp(`^${images[store]}([.-]|$)`));
    const yaml = ['plain/postgres', 'plain/mongo', 'plain/rabbitmq']
      .map((path) => ofRepository(`k8s/stores/${path}.yaml`))
      .join('');
    for (const store of ['postgres', 'mongo', 'rabbitmq'] as const)
      expect(yaml).toContain(`image: ${images[store]}`);
  });

  it('get exactly the users who connect, with their rights in Kubernetes', () => {
    const told = storeFiles(secrets);
    const definitions = JSON.parse(told.get('rabbitmq-definitions.json')!) as { users: { name: string }[] };
    const usersOf = (kind: string) =>
      [...secrets].filter(([name]) => name.endsWith(`-${kind}-url`)).map(([, url]) => new URL(url).username);
    expect(definitions.users.map(({ name }) => name).toSorted()).toEqual(usersOf('rabbitmq').toSorted());
    for (const user of usersOf('database')) {
      expect(told.get('postgres-set-up.sql')).toContain(`ALTER ROLE ${user} LOGIN NOSUPERUSER`);
      expect(told.get('postgres-set-up.sql')).toContain(`REVOKE ALL ON DATABASE ${user} FROM PUBLIC;`);
    }
    for (const user of usersOf('mongo'))
      expect(told.get('mongo-set-up.js')).toContain(`"roles":[{"role":"readWrite","db":"${user}"}]`);
  });

  it('read their settings from where they are mounted', () => {
    expect(ofRepository('deploy/compose/rabbitmq.conf')).toContain(
      '= /run/secrets/rabbitmq-definitions.json',
    );
    expect(service('rabbitmq').secrets).toContain('rabbitmq-definitions.json');
    expect(service('rabbitmq').volumes).toContain(
      './deploy/compose/enabled_plugins:/etc/rabbitmq/enabled_plugins:ro',
    );
    expect(service('valkey').command).toEqual(['valkey-server', '/run/secrets/valkey.conf']);
  });
});

describe('observability', () => {
  it('scrapes every service under its own name', () => {
    for (const name of serviceNames) {
      const job = prometheus.scrape_configs.find(({ job_name }) => job_name === name);
      expect(job?.static_configs).toEqual([
        { targets: [`${name}:${service(name).environment?.ADMIN_PORT}`] },
      ]);
    }
  });

  it('evaluates the rules, and shows the dashboards, of deploy/monitoring/', () => {
    expect(prometheus.rule_files).toEqual(['/etc/prometheus/alerts.yaml']);
    expect(service('prometheus').volumes).toContain(
      './deploy/monitoring/alerts.yaml:/etc/prometheus/alerts.yaml:ro',
    );
    const dashboards = parse(ofRepository('deploy/compose/grafana/dashboards.yaml')) as {
      providers: { options: { path: string } }[];
    };
    const path = dashboards.providers[0]?.options.path;
    expect(service('grafana').volumes).toContain(`./deploy/monitoring/dashboards:${path}:ro`);
  });

  it('is offered by the .env of a first start', () => {
    const offered = parseEnv(firstEnv.replaceAll(/^# (?=[A-Z_]+=)/gm, '')) as Record<string, string>;
    expect(offered.COMPOSE_PROFILES?.split(',').toSorted()).toEqual(
      [...new Set(Object.values(composeFile.services).flatMap(({ profiles = [] }) => profiles))]
        .filter((profile) => profile !== 'tools')
        .toSorted(),
    );
    expect(offered.OTEL_EXPORTER_OTLP_ENDPOINT).toBe('http://otel-collector:4318');
    expect(ofRepository('deploy/compose/otel-collector.yaml')).toContain('endpoint: 0.0.0.0:4318');
  });
});
