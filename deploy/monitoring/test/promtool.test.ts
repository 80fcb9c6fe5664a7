/** The alerts as Prometheus evaluates them. Without promtool these tests are skipped, and the run says so. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findProgram } from '@offer-ads/backing/programs';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { parse, stringify } from 'yaml';
import { alerts, clusterAlerts } from '../alerts.ts';

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
  /** Each platform team has its own address in the rules. */
  const runbookOf = (name: string) =>
    [...alerts, ...clusterAlerts].find(({ alert }) => alert === name)?.annotations.runbook_url;
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

  it('sees the alert of production, and none of staging, when only production is down', () => {
    const up = (namespace: string, job: string, values: string) => ({
      series: `up{namespace="${namespace}", job="${job}", instance="${namespace}-${job}"}`,
      values,
    });
    const down = (job: string) => ({
      exp_labels: { job, namespace: 'offer-ads', severity: 'page' },
      exp_annotations: {
        summary: `${job} is down`,
        description: `No replica of ${job} has answered a scrape for a minute.`,
        runbook_url: runbookOf('ServiceDown'),
      },
    });
    const test = {
      rule_files: [rulesOf('production', 'services'), rulesOf('staging', 'services')],
      evaluation_interval: '1m',
      tests: [
        {
          name: 'production is down in three ways: its targets fail, are gone, or were never there',
          interval: '1m',
          input_series: [
            ...serviceNames.map((job) => up('offer-ads-staging', job, '1x20')),
            ...['gateway', 'offers'].map((job) => up('offer-ads', job, '1x2 0x18')),
            ...['billing', 'pricing'].map((job) => up('offer-ads', job, '1x2')),
          ],
          alert_rule_test: [
            { eval_time: '2m', alertname: 'ServiceDown', exp_alerts: ['moderation', 'notifier'].map(down) },
            { eval_time: '15m', alertname: 'ServiceDown', exp_alerts: serviceNames.map(down) },
          ],
        },
      ],
    };
    expect(run('test', 'rules', write('mixed.test.yaml', test))).toEqual(fine);
  });

  it('sees the alert of production, and none of staging, when only production reports no backups', () => {
    const lastBackup = 'barman_cloud_cloudnative_pg_io_last_available_backup_timestamp';
    const job = 'kube_cronjob_created';
    const test = {
      rule_files: [rulesOf('production', 'cluster'), rulesOf('staging', 'cluster')],
      evaluation_interval: '5m',
      tests: [
        {
          name: 'metrics of production are gone after an hour, those of staging after three',
          interval: '5m',
          input_series: [
            { series: `${lastBackup}{namespace="offer-ads", pod="postgres-1"}`, values: '0x12' },
            { series: `${job}{namespace="offer-ads", cronjob="mongo-backup"}`, values: '0x12' },
            { series: `${lastBackup}{namespace="offer-ads-staging", pod="postgres-1"}`, values: '0x36' },
            { series: `${job}{namespace="offer-ads-staging", cronjob="mongo-backup"}`, values: '0x36' },
          ],
          alert_rule_test: [
            { eval_time: '1h30m', alertname: 'PostgresBackupMissing', exp_alerts: [] },
            { eval_time: '1h30m', alertname: 'ScheduledJobFailed', exp_alerts: [] },
            {
              eval_time: '6h',
              alertname: 'PostgresBackupMissing',
              exp_alerts: [
                {
                  exp_labels: { namespace: 'offer-ads', severity: 'ticket' },
                  exp_annotations: {
                    summary: 'Nothing tells of backups of Postgres',
                    description:
                      'No instance of Postgres has told the time of its latest base backup for an hour.',
                    runbook_url: runbookOf('PostgresBackupMissing'),
                  },
                },
              ],
            },
            {
              eval_time: '6h',
              alertname: 'ScheduledJobFailed',
              exp_alerts: [
                {
                  exp_labels: { cronjob: 'mongo-backup', namespace: 'offer-ads', severity: 'ticket' },
                  exp_annotations: {
                    summary: 'The job mongo-backup does not succeed',
                    description:
                      'Nothing has told of the job mongo-backup for an hour: it may have been removed.',
                    runbook_url: runbookOf('ScheduledJobFailed'),
                  },
                },
              ],
            },
          ],
        },
      ],
    };
    expect(run('test', 'rules', write('backups.test.yaml', test))).toEqual(fine);
  });
});
