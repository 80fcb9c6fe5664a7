/** The alerts as Prometheus evaluates them. Without promtool these tests are skipped, and the run says so. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findProgram } from '@offer-ads/backing/programs';
import { parse, stringify } from 'yaml';

type Group = {
  readonly name: string;
  readonly rules: readonly { readonly alert?: string; readonly record?: string; readonly expr: string }[];
};
type RuleFile = { readonly groups: readonly Group[] };
type TestFile = {
  readonly tests: readonly { readonly alert_rule_test: readonly { readonly alertname: string }[] }[];
};

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const promtool = await findProgram({
  names: ['promtool'],
  packageName: 'prometheus',
  report: (line) => process.stderr.write(`${line}\n`),
});

(promtool === undefined ? describe.skip : describe)('promtool', () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(promtool ?? '', args, { cwd: repository, encoding: 'utf8' });
    return { status, problem: status === 0 ? '' : `${stdout}${stderr}` };
  };
  const fine = { status: 0, problem: '' };

  const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, value: unknown) => {
    const file = join(folder, name);
    writeFileSync(file, stringify(value));
    return file;
  };
  /** The rules of an overlay, as a file that Prometheus reads. */
  const rulesOf = (overlay: string, about: 'services' | 'cluster') => {
    const file = join(repository, `k8s/overlays/${overlay}/alerts/${about}.yaml`);
    const { spec } = parse(readFileSync(file, 'utf8')) as { spec: object };
    return write(`${overlay}-${about}.yaml`, spec);
  };

  /**
   * The tests of alerts.test.yaml as a file for each group of rules. For each minute of a test promtool evaluates all rules, so a test gets
   * those of the alerts that it names alone, with the recordings that they read.
   */
  const testsByGroup = () => {
    // Texts stay texts: `0x25` is 25 repetitions there, and a number in YAML.
    const read = (name: string): unknown =>
      parse(readFileSync(join(repository, 'deploy/monitoring', name), 'utf8'), { schema: 'failsafe' });
    const { groups } = read('alerts.yaml') as RuleFile;
    const { tests, ...options } = read('alerts.test.yaml') as TestFile;
    const groupOf = (alert: string) => {
      const group = groups.find(({ rules }) => rules.some((rule) => rule.alert === alert));
      if (group === undefined) throw new Error(`there is no alert ${alert}`);
      return group;
    };
    const isReadIn = (recording: string | undefined, group: Group) =>
      recording !== undefined && group.rules.some(({ expr }) => expr.includes(recording));
    const testsOf = Map.groupBy(tests, ({ alert_rule_test: checks }) =>
      [...new Set(checks.map(({ alertname }) => groupOf(alertname).name))].join('-and-'),
    );
    return [...testsOf].map(([name, tests]) => {
      const named = tests.flatMap((test) => test.alert_rule_test.map(({ alertname }) => groupOf(alertname)));
      const needed = groups.filter(
        (group) =>
          named.includes(group) ||
          group.rules.some(({ record }) => named.some((reader) => isReadIn(record, reader))),
      );
      const rules = write(`${name}.yaml`, { groups: needed });
      return write(`${name}.test.yaml`, { ...options, rule_files: [rules], tests });
    });
  };

  it('finds no fault in the rules', () => {
    expect(
      run('check', 'rules', 'deploy/monitoring/alerts.yaml', 'deploy/monitoring/cluster-alerts.yaml'),
    ).toEqual(fine);
    for (const overlay of ['staging', 'production'])
      expect(run('check', 'rules', rulesOf(overlay, 'services'), rulesOf(overlay, 'cluster'))).toEqual(fine);
  });

  it('sees alerts fire exactly when they should', () => {
    expect(run('test', 'rules', ...testsByGroup(), 'deploy/monitoring/cluster-alerts.test.yaml')).toEqual(
      fine,
    );
  }, 600_000);
});
