/** Each alert has a drill and a page, and the page has the commands by which the drill mends. */
import { existsSync, readFileSync } from 'node:fs';
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
  expect(Object.keys(drills).toSorted()).toEqual(alerts);
});

it.each(alerts)('%s is mended by lines that stand in its page', (alert) => {
  const page = existsSync(pageOf(alert)) ? readFileSync(pageOf(alert), 'utf8') : '';
  const lines = (drills[alert]?.mend ?? []).filter((step) => typeof step === 'string');
  const known = new Set(page.split('\n').map((line) => line.trim()));
  expect(lines.filter((line) => !known.has(line))).toEqual([]);
});
