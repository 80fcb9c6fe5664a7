/** A short round of `npm run rolling`; the command itself also restarts and kills every replica. */
import { expect, it } from '@jest/globals';
import { makeSecrets } from '@offer-ads/dev/start/secrets';
import type { System } from '../harness/system.ts';
import { readOptions } from '../rolling/options.ts';
import { runRounds } from '../rolling/run-rounds.ts';

export function describeRolling(system: () => System): void {
  it('a deploy of all services under load fails no request, and loses and doubles nothing', async () => {
    const printed: string[] = [];
    const short = ['--replicas=1', '--advertisers=2', '--between=0', '--warm-up=3'];
    const isFine = await runRounds(readOptions(['--rounds=rolling', ...short]), {
      system: system(),
      freshSecrets: makeSecrets(),
      say: (line) => printed.push(line),
    });
    if (!isFine) throw new Error(printed.join('\n'));
    for (const route of ['POST /offers', 'GET /pay/:token', 'DELETE /offers/:id'])
      expect(printed).toContainEqual(expect.stringMatching(new RegExp(`^  ${route} +\\d+ x `)));
  }, 600_000);
}
