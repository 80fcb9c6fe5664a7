/** The drill's first act; `npm run drill:restore` does all of it. */
import { expect, it } from '@jest/globals';
import { runTrial } from '../../harness/command.ts';

it('a system that has lost every store is put back to a moment, and its money is right', async () => {
  const printed = await runTrial('restore/drill.ts', '--only=everything', '--without-list');
  expect(printed).toContain('All of it is as the guide says');
}, 600_000);
