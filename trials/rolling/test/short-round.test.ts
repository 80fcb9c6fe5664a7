/** A short round with two services; `npm run rolling` replaces, restarts and kills every replica of all. */
import { expect, it } from '@jest/globals';
import { runTrial } from '../../harness/command.ts';

it('replacing offers and billing under load fails no request, and loses and doubles nothing', async () => {
  const short = ['--replicas=1', '--advertisers=2', '--pre-stop=1', '--between=0', '--warm-up=3'];
  const printed = await runTrial(
    'rolling/main.ts',
    '--rounds=rolling',
    '--services=offers,billing',
    ...short,
  );
  expect(printed).toContain('Nothing failed, nothing is lost.');
  for (const route of ['POST /offers', 'GET /pay/:token', 'DELETE /offers/:id'])
    expect(printed).toMatch(new RegExp(`  ${route} +\\d+ x `));
}, 600_000);
