/** Two drills that are over soon; `npm run drill -- --all` runs all. */
import { describe, expect, it } from '@jest/globals';
import { onPath } from '@offer-ads/backing/on-path';
import { runDrills } from '../drills/run-drill.ts';
import type { System } from '../harness/system.ts';

const short = ['CircuitBreakerOpen', 'DatabasePoolExhausted'];

export function describeDrills(system: () => System): void {
  const isThere = onPath('prometheus') !== undefined;
  if (!isThere) console.warn('The program prometheus was not found: no drill is tried.');

  (isThere ? describe : describe.skip)('drills', () => {
    it('of a cut connection and of a forgotten lock see their alerts fire, and resolve by the runbook', async () => {
      const printed: string[] = [];
      const passed = await runDrills(short, { system: system(), say: (line) => printed.push(line) });
      if (!passed) throw new Error(printed.join('\n'));
      for (const alert of short)
        expect(printed.at(-1)).toMatch(
          new RegExp(`^${alert}: fired after \\d+ s, resolved after \\d+ s`, 'm'),
        );
    }, 600_000);
  });
}
