/** Two drills of those that are over soon; `npm run drill -- --all` is for all. */
import { describe, expect, it } from '@jest/globals';
import { onPath } from '@offer-ads/backing/on-path';
import { runTrial } from '../../harness/command.ts';

const isThere = onPath('prometheus') !== undefined;
if (!isThere) console.warn('The program prometheus was not found: no drill is tried.');

(isThere ? describe : describe.skip)('a drill', () => {
  it('of a cut connection and one of forgotten locks see their alerts fire, and resolve by the runbook', async () => {
    const printed = await runTrial('drills/main.ts', 'circuit-breaker-open', 'database-pool-exhausted');
    expect(printed).toMatch(/\| CircuitBreakerOpen +\| \w+ +\| \d+ s/);
    expect(printed).toMatch(/\| DatabasePoolExhausted +\| \w+ +\| \d+ s/);
  }, 600_000);
});
