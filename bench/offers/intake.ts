/** `node bench/offers/intake.ts [--quick] [--rounds 3] [--write]`: the intake of views alone. See bench/README.md. */
import { parseArgs } from 'node:util';
import { withCleanEnd } from '../clean-end.ts';
import { WrongOption, wholeNumber } from '../command-line.ts';
import { machine } from '../machine.ts';
import { writeIntoReadme } from '../readme.ts';
import { openStores } from '../stores.ts';
import { measureIntake } from './intake-measure.ts';
import { intakeReport } from './intake-report.ts';

const say = (line: string) => console.log(line);

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

try {
  const rounds = wholeNumber('rounds', values.rounds, values.quick ? 1 : 3);
  await withCleanEnd((opened) => run(opened, rounds));
} catch (error) {
  console.error(error instanceof WrongOption ? error.message : error);
  process.exitCode = 1;
}

async function run(opened: AsyncDisposableStack, rounds: number): Promise<void> {
  const stores = await openStores(opened, say);
  const samples = await measureIntake(opened, { stores, rounds, quick: values.quick, report: say });
  const when = `${new Date().toISOString().slice(0, 10)}; ${machine()}; Node ${process.versions.node}.`;
  const report = `${when} ${intakeReport(samples)}`;
  say(`\n${report}`);
  if (values.write) writeIntoReadme('intake', report);
}
