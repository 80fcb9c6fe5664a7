/** The alerts themselves, as Prometheus reads and evaluates them. Where promtool is not to be had, they are skipped, and the run says so. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { findProgram } from '../backing/programs.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
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

  it('finds nothing wrong with the rules', () => {
    expect(run('check', 'rules', 'monitoring/alerts.yaml')).toEqual(fine);
  });

  // Ten seconds of a quiet machine.
  it('sees alerts fire when they should and be silent when they should be', () => {
    expect(run('test', 'rules', 'monitoring/alerts.test.yaml')).toEqual(fine);
  }, 600_000);
});
