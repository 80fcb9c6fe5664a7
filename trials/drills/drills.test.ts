/** Each alert has a drill and a page, and the page has the commands by which the drill mends. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { repository } from '@offer-ads/dev/start/folder';
import { drills, kebab } from './drills.ts';
import { readRules } from './prometheus/prometheus.ts';

const alerts = [
  ...new Set(readRules().groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []))),
].toSorted();
const pageOf = (alert: string) => join(repository, 'docs/runbooks', `${kebab(alert)}.md`);

it('every alert has a drill, and every drill an alert', () => {
  expect(drills.map(({ alert }) => alert).toSorted()).toEqual(alerts);
});

it('a drill lies in a file of the name of its page', () => {
  const files = readdirSync(join(repository, 'trials/drills/alerts'), {
    recursive: true,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  expect(files.toSorted()).toEqual(alerts.map((alert) => `${kebab(alert)}.ts`).toSorted());
});

it.each(alerts)('%s is mended by lines that stand in its page', (alert) => {
  const page = existsSync(pageOf(alert)) ? readFileSync(pageOf(alert), 'utf8') : '';
  const steps = drills.find((drill) => drill.alert === alert)?.mend ?? [];
  const lines = steps.flatMap((step) => ('run' in step ? [step.run] : []));
  const known = new Set(page.split('\n').map((line) => line.trim()));
  expect(lines.filter((line) => !known.has(line))).toEqual([]);
});
