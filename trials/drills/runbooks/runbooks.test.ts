/** The alerts, metrics and objects of a cluster that pages of docs/runbooks name exist. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { clusterAlerts, alerts as ofServices } from '@offer-ads/deploy/monitoring/alerts';
import { readExpression } from '@offer-ads/deploy/monitoring/promql';
import { repository } from '@offer-ads/dev/start/folder';
import { manifestsOf, wholeOf } from '@offer-ads/k8s/checks/overlays';
import { createFoundation } from '@offer-ads/platform/process/foundation';
import { kebab } from '../drills.ts';

const folder = join(repository, 'docs/runbooks');
const rules = [...ofServices, ...clusterAlerts];
const alerts = [...new Set(rules.map(({ alert }) => alert))];
const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
const pages = files.filter((file) => file !== 'README.md');
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');

describe('pages and alerts', () => {
  it('every alert has a page, and every page an alert', () => {
    expect(pages.toSorted()).toEqual(alerts.map((alert) => `${kebab(alert)}.md`).toSorted());
  });

  it('every alert names its page, by an address of which one part alone differs from installation to installation', () => {
    const base = rules[0]!.annotations.runbook_url.replace(/[^/]+$/, '');
    expect(new URL(base).pathname).toMatch(/\/docs\/runbooks\/$/);
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
      rules.map(({ alert }) => `${base}${kebab(alert)}.md`),
    );
  });

  it('the index has every alert once, under the worst of its severities', () => {
    const index = textOf('README.md').split('## Alerts')[1] ?? '';
    const [, toPage = '', toTicket = ''] = index.split(/^\*\*(?:page|ticket)\*\*/m);
    const listed = (part: string) =>
      [...part.matchAll(/\[(\w+)\]\(/g)].map(([, alert = '']) => alert).toSorted();
    const isPage = (alert: string) =>
      rules.some((rule) => rule.alert === alert && rule.labels.severity === 'page');
    expect(listed(toPage)).toEqual(alerts.filter(isPage).toSorted());
    expect(listed(toTicket)).toEqual(alerts.filter((alert) => !isPage(alert)).toSorted());
  });

  it.each(pages)('%s says everything that somebody needs at three in the morning', (file) => {
    const text = textOf(file);
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Look first', 'Causes', 'Do not', 'Over when']);
    expect(text).toMatch(/^\*\*Means\*\*: /m);
    expect(text).toMatch(/^\*\*Hurts\*\*/m);
    const says = rules.some(
      ({ alert, labels }) => `${kebab(alert)}.md` === file && labels.severity === 'page',
    );
    expect(text.includes('Severity: page.') || text.includes('(page)')).toBe(says);
  });
});

const sources = ['services', 'packages/platform']
  .flatMap((root) =>
    readdirSync(join(repository, root), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(repository, root, file),
    ),
  )
  .filter(
    (file) => /\/src\/.*\.ts$/.test(file) && !file.includes('node_modules') && !file.endsWith('.test.ts'),
  )
  .map((file) => readFileSync(file, 'utf8'));

describe('repeated work', () => {
  it('what hangs on each loop stands in the page of LoopFailing', () => {
    const loops = sources
      .filter((source) => source.includes('startLoop('))
      // Not the names of prepared statements.
      .flatMap((source) =>
        [...source.matchAll(/\bname: '([a-z-]+)',(?!\s*sql:)/g)].map(([, name]) => name ?? ''),
      );
    expect(loops.length).toBeGreaterThan(15);
    const listed = new Set([...textOf('loop-failing.md').matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
    expect(loops.filter((loop) => !listed.has(loop))).toEqual([]);
  });
});

describe('quotations', () => {
  const said = plain([...sources, ...rules.map(({ annotations }) => JSON.stringify(annotations))].join('\n'));
  /** Of Postgres, Valkey and the card provider's dashboard. */
  const ofOtherPrograms = new Set(
    ['requested WAL segment has already been removed', 'WRONGPASS', 'Send test event', 'Resend'].map(plain),
  );

  it.each(files)('of %s are lines of the log or words of an alert', (file) => {
    const text = textOf(file)
      .replace(/^ *```[^]*?^ *```/gm, '')
      .replace(/`[^`]*`/g, '');
    const quoted = [...text.matchAll(/(?<!\w)_([^_]{8,120})_(?!\w)/g)].map(([, line = '']) => plain(line));
    expect(quoted.filter((line) => !said.includes(line) && !ofOtherPrograms.has(line))).toEqual([]);
  });

  function plain(text: string): string {
    return text.replaceAll('’', "'").replace(/\s+/g, ' ').toLowerCase();
  }
});

/** Those of kube-state-metrics and the operators that an alert asks for. */
const ofOthers = new Set(
  clusterAlerts.flatMap(({ expr }) => readExpression(expr).selectors.map(({ metric }) => metric)),
);

describe('metrics', () => {
  const code = sources.join('\n');
  const byDefault = new Set(
    createFoundation('gateway', 'silent', {})
      .metrics.registry.getMetricsAsArray()
      .map(({ name }) => name),
  );
  const isKnown = (metric: string) => {
    const family = metric.replace(/_(bucket|count|sum)$/, '');
    return [metric, family].some(
      (name) => name === 'up' || byDefault.has(name) || code.includes(`'${name}'`) || ofOthers.has(name),
    );
  };

  it.each(files)('those that %s asks for exist', (file) => {
    const lines = [...textOf(file).matchAll(/^ *```promql\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) =>
      block.trimEnd().split('\n'),
    );
    const asked = lines.flatMap((line) => readExpression(line).selectors.map(({ metric }) => metric));
    expect(asked.filter((metric) => !isKnown(metric))).toEqual([]);
  });
});

describe('files', () => {
  it('go to the admin tool and back by node alone, byte for byte', () => {
    const [, words = ''] = /In a cluster:\n```sh\n([^]*?)```/.exec(textOf('README.md')) ?? [];
    const functions = words.match(/^(?:put|get)\(\) .*$/gm) ?? [];
    expect(functions).toHaveLength(2);
    const place = mkdtempSync(join(tmpdir(), 'runbooks-'));
    const name = `${basename(place)}.bin`;
    const bytes = randomBytes(300_000);
    writeFileSync(join(place, name), bytes);
    // The command for the pod comes after the dashes.
    const kubectl = 'kubectl() { while [ "$1" != -- ]; do shift; done; shift; "$@"; }';
    try {
      const script = [kubectl, ...functions, `put ${place}/${name}`, `get ${name}`].join('\n');
      expect(execFileSync('bash', ['-ec', script], { maxBuffer: 1e6 }).equals(bytes)).toBe(true);
    } finally {
      rmSync(place, { recursive: true });
      rmSync(`/tmp/${name}`, { force: true });
    }
  });
});

/** Every page with commands for a cluster. */
const texts = [
  ...files.map((file) => join(folder, file)),
  ...readdirSync(join(repository, 'docs/operations')).map((file) =>
    join(repository, 'docs/operations', file),
  ),
  join(repository, 'k8s/README.md'),
];

describe('commands for a cluster', () => {
  const manifests = [...wholeOf('production'), ...manifestsOf('overlays/production/restore/mongo')];
  const there = new Set(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  /** By the word that commands use. Pods and claims of stores get their names from operators. */
  const kinds = new Map([
    ...manifests.map(({ kind }) => [kind.toLowerCase(), kind] as const),
    ['hpa', 'HorizontalPodAutoscaler'],
    ['users.rabbitmq.com', 'User'],
  ]);

  it('run node alone in our own pods: an image need not have a shell, nor date or tar', () => {
    const inPods = texts.flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/ exec (?:-i )?"?deployment\/\S+ -- (\S+)/g),
    ]);
    expect(inPods.length).toBeGreaterThan(8);
    expect(inPods.filter(([, program]) => program !== 'node').map(([command]) => command)).toEqual([]);
  });

  it('name objects that are in the manifests', () => {
    const commands = texts.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/kubectl (?!-n cert-manager|create -f)[^\n`]*/g)].map(
        ([command]) => command,
      ),
    );
    for (const command of commands) {
      const made = / create job .* (\S+)$/.exec(command)?.[1];
      if (made !== undefined) there.add(`Job ${made}`);
      const configMap = / create configmap (\S+)/.exec(command)?.[1];
      if (configMap !== undefined) there.add(`ConfigMap ${configMap}`);
    }
    const named = commands.flatMap((command) =>
      [...command.matchAll(/(?<=[ =])([a-z.]+)(?=[ /]([a-z][a-z-]+[a-z])(?![\w$/.-]))/g)]
        .filter(([, kind = '']) => kinds.has(kind))
        .map(([, kind = '', name = '']) => `${kinds.get(kind)} ${name}`),
    );
    expect(named.length).toBeGreaterThan(30);
    expect([...new Set(named)].filter((one) => !there.has(one))).toEqual([]);
  });

  it('never set the replicas of a service past its autoscaler, which would undo that', () => {
    const scaled = new RegExp(`kubectl.* scale .*\\bdeployments?[ /](?:${serviceNames.join('|')})\\b`);
    expect(texts.filter((file) => scaled.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('never copy files by `kubectl cp`, because images have no tar', () => {
    expect(texts.filter((file) => /kubectl[^`\n]* cp [^`\n]/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
