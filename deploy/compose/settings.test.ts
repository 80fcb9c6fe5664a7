/** The settings in docker-compose.yml and .env.example match the schemas of the programs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { checkEach } from '@offer-ads/k8s/checks/workloads';
import { fileVariable } from '@offer-ads/platform/config/config';
import { readStripeSimulatorConfig } from '@offer-ads/simulators/stripe/config';
import { envExample } from '../settings/env-example.ts';
import { settingsIn } from '../settings/groups.ts';
import { composeSettings } from '../settings/of-compose.ts';
import { isSecretOf, type Program, programs, readers, schemas, settingNames } from '../settings/schemas.ts';
import { composeFile, composeText, interpolated, referencesIn, resolved, type Settings } from './file.ts';
import { firstEnv, simulatedSettings } from './first-env.ts';
import { writeSecrets } from './folder.ts';
import { inventFiles, secretFileOf, storeFiles } from './secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'compose-secrets-'));
writeSecrets(folder);
afterAll(() => rmSync(folder, { recursive: true }));

/** The environment of a container, with its secrets in a folder of this test. */
function environmentOf(service: string, settings: Settings): Record<string, string> {
  const entries = Object.entries(resolved(settings).services[service]?.environment ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, String(value).replace('/run/secrets', folder)]),
  );
}

const example = Object.fromEntries(
  [...envExample().matchAll(/^(?:# )?([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);
const variables = [...new Set(referencesIn(composeText).map(({ name }) => name))];

describe.each(programs)('%s in docker-compose.yml', (program) => {
  it('gets exactly the settings that it reads, its secrets as files', () => {
    const given = Object.keys(composeFile.services[program]?.environment ?? {});
    const expected = settingNames(program).map((name) =>
      isSecretOf(program, name) ? fileVariable(name) : name,
    );
    expect(given.toSorted()).toEqual(expected.toSorted());
  });

  it('gets each of its secrets at the path in its setting, and no other secret', () => {
    const { environment = {}, secrets = [] } = composeFile.services[program] ?? {};
    const named = settingNames(program).filter((name) => isSecretOf(program, name));
    const paths = named.map((name) => {
      const text = String(environment[fileVariable(name)]);
      const [brought] = referencesIn(text);
      return [name, brought?.text ?? text];
    });
    expect(paths).toEqual(named.map((name) => [name, `/run/secrets/${secretFileOf(program, name)}`]));
    expect(secrets.toSorted()).toEqual(named.map((name) => secretFileOf(program, name)).toSorted());
  });

  it('starts with the .env of a first start', () => {
    expect(() => readers[program](environmentOf(program, parseEnv(firstEnv) as Settings))).not.toThrow();
  });

  it('starts with the settings that .env.example requires', () => {
    const settings = { ...simulatedSettings, SMTP_TLS: 'off' };
    const required = Object.fromEntries(
      variables
        .filter((name) => isRequired(name))
        .map((name) => [name, settings[name as keyof typeof settings] ?? '']),
    );
    const environment = environmentOf(program, { ...required, SMTP_TLS: 'off' });
    expect(() => readers[program](environment)).not.toThrow();
  });
});

const isRequired = (name: string) =>
  referencesIn(composeText).some((reference) => reference.name === name && reference.kind === '?');

describe('the simulators', () => {
  it('sign with the secrets that billing has', () => {
    const config = readStripeSimulatorConfig(environmentOf('stripe-simulator', simulatedSettings));
    const billing = readers.billing(environmentOf('billing', simulatedSettings)) as Record<string, string>;
    for (const name of ['STRIPE_TEST_WEBHOOK_SECRET', 'STRIPE_LIVE_WEBHOOK_SECRET'] as const)
      expect(config[name]).toBe(billing[name]);
  });
});

describe('optional secrets', () => {
  const optional = programs.flatMap((program) =>
    settingNames(program)
      .filter((name) => isSecretOf(program, name))
      .flatMap((name) =>
        referencesIn(String(composeFile.services[program]?.environment?.[fileVariable(name)])),
      )
      .map(({ name }) => [program, name] as const),
  );

  it.each(optional)(
    'of %s come from the file that %s names, and are not set without one',
    (program, name) => {
      expect(environmentOf(program, simulatedSettings)[name]).toBe('');
      const setting = name.replace(/_FILE$/, '');
      const file = secretFileOf(program, setting);
      const here = { ...simulatedSettings, [name]: '/somewhere/key' };
      expect(environmentOf(program, here)[name]).toBe(`${folder}/${file}`);
      expect(resolved(here).secrets[file]?.file).toBe('/somewhere/key');
      expect(resolved(simulatedSettings).secrets[file]?.file).toBe('deploy/compose/none');
    },
  );

  it('are those of buckets and the emergency tokens of the console', () => {
    const kinds = optional.map(([, name]) => /^[A-Z0-9]+/.exec(name)?.[0] ?? '');
    expect([...new Set(kinds)].toSorted()).toEqual(['CONSOLE', 'S3']);
  });
});

describe('.env.example', () => {
  it('has every variable of docker-compose.yml, and no other', () => {
    // COMPOSE_PROFILES is a setting of compose itself.
    expect(Object.keys(example).toSorted()).toEqual([...variables, 'COMPOSE_PROFILES'].toSorted());
  });

  it('requires exactly the variables that docker-compose.yml requires', () => {
    const asked = [...envExample().matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
    expect(asked.toSorted()).toEqual(variables.filter(isRequired).toSorted());
  });

  it('has every setting of every service, with its description', () => {
    const text = envExample().replaceAll(/\n# /g, ' ');
    for (const program of programs)
      for (const { name, description } of settingsIn(schemas[program]))
        expect([name, text.includes(name) && text.includes(description)]).toEqual([name, true]);
  });

  it('has no secret, and no default for one', () => {
    const secrets = programs.flatMap((program) =>
      settingNames(program).filter((name) => isSecretOf(program, name)),
    );
    expect(secrets.filter((name) => new RegExp(`\\b${name}=`).test(envExample()))).toEqual([]);
  });
});

describe('every setting', () => {
  const all = [
    ...programs.flatMap((program) => settingsIn(schemas[program]).map((one) => [program, one] as const)),
    ...settingsIn(composeSettings).map((one) => ['docker-compose.yml' as Program, one] as const),
  ];

  it('is described, and a secret has no default', () => {
    checkEach(
      all.map(([program, one]) => [`${program} ${one.name}`, one] as const),
      (one) => {
        expect(one.description).toMatch(/^.{10,}[.)]$/);
        if (one.secret) expect(one.otherwise).toBeUndefined();
      },
    );
  });

  it('with the name of a secret is declared as a secret', () => {
    const telling =
      /(SECRET|TOKEN|HASHES|PASSWORD|BREAK_GLASS|_KEY|_KEY_ID)$|^(\w+_DATABASE|RABBITMQ|MONGO|VALKEY|SMTP)_URL$/;
    for (const [, { name, secret }] of all) expect([name, secret]).toEqual([name, telling.test(name)]);
  });
});

describe('a default in docker-compose.yml', () => {
  it('is the documented one', () => {
    const declared = settingsIn(composeSettings).filter(({ otherwise }) => otherwise !== undefined);
    for (const { name, otherwise = '' } of declared) {
      const defaults = referencesIn(composeText).filter(
        (reference) => reference.name === name && reference.kind === '-',
      );
      expect([name, new Set(defaults.map(({ text }) => interpolated(text, {})))]).toEqual([
        name,
        new Set([otherwise]),
      ]);
    }
  });
});

describe('the files of secrets', () => {
  it('are exactly those that docker-compose.yml names, and those of people', () => {
    const invented = inventFiles();
    const made = [...invented.keys(), ...storeFiles(invented).keys()];
    const named = Object.entries(composeFile.secrets).filter(
      ([, { file }]) => !file.includes('deploy/compose/none'),
    );
    for (const [name, { file }] of named) expect(file).toBe(`deploy/compose/secrets/${name}`);
    // No container gets these; the set-up of the stores contains them.
    const others = ['mongo-root-password', 'community-rabbitmq-url', 'scaler-rabbitmq-url'];
    expect(made.toSorted()).toEqual([...named.map(([name]) => name), ...others].toSorted());
  });
});
