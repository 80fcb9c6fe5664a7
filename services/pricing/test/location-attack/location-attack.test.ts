/** What 5,000 estimates reveal about a member's position (ADR 19 has the figures of all defences). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import { runs } from '@offer-ads/testing/profile';
import { attackedService, type Defence, type Patience, victimsOf } from './attack.ts';
import { cityWorld, countryWorld } from './attacked-world.ts';
import { type Method, methods } from './attacker.ts';

const none: Defence = { positions: 'exact', minCohort: 1 };
const production: Defence = { positions: 'rounded', minCohort: 10, perDay: 200 };
const inTensOnly: Defence = { positions: 'rounded', minCohort: 10 };

const city = cityWorld(1);
const country = countryWorld(2);
const methodNamed = (name: string) => methods[name] as Method;

describe('the attacks find members of the country', () => {
  it.each([
    ['nearly all to 30 metres when counts and positions are exact', none, 'exact differences', 500, 30, 16],
    ['to a kilometre in spite of counts in tens', inTensOnly, 'lifts over steps', 5_000, 1_000, 5],
    ['in 200 estimates by steps at known multiples', inTensOnly, 'lifts at found steps', 200, 1_000, 5],
  ])('%s', async (_, defence, by, requests, metres, atLeast) => {
    const attack = attackedService(country, defence);
    let found = 0;
    for (const victim of victimsOf(country, 20, 77))
      if ((await attack(victim, methodNamed(by), 1, { requests })).metresOff <= metres) found += 1;
    expect(found).toBeGreaterThanOrEqual(atLeast);
  });
});

describe('where positions are coarse', () => {
  it('nobody is located better than the rounding: every answer is the same for every place within a cell', async () => {
    const elsewhere = country.map((member, n) => {
      const { latitude, longitude } = coarsePosition(member);
      const inCell = (seed: number) => (((n * seed) % 97) / 97 - 0.5) * 0.0098;
      return { ...member, latitude: latitude + inCell(31), longitude: longitude + inCell(57) };
    });
    const defence: Defence = { ...none, positions: 'rounded' };
    const [here, there] = [attackedService(country, defence), attackedService(elsewhere, defence)];
    for (const victim of victimsOf(country, 10, 77)) {
      const attack = await here(victim, methodNamed('exact differences'), 1, { requests: 5_000 });
      const other = await there(victim, methodNamed('exact differences'), 1, { requests: 5_000 });
      expect(other).toEqual(attack);
    }
  });
});

describe('as production is configured', () => {
  it.each([
    ['AUDIENCE_MIN_COHORT', 10],
    ['PRIVACY_BUDGET_PER_DAY', 200],
    ['PRIVACY_BUDGET_PER_30_DAYS', 1_000],
  ])('%s is %i, as attacked here', (name, value) => {
    const textOf = (file: string) => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
    expect(textOf('docker-compose.yml')).toContain(`${name}: \${${name}:-${value}}\n`);
    expect(textOf('k8s/base/services/kustomization.yaml')).toContain(`- ${name}=${value}\n`);
  });

  it.each<[string, typeof city, Patience]>([
    ['the city', city, { requests: 5_000 }],
    ['the country', country, { requests: 5_000 }],
    ['the city, whoever stops when counts get coarse', city, { requests: 5_000, days: 1 }],
    ['the country, whoever stops when counts get coarse', country, { requests: 5_000, days: 1 }],
  ])(
    'nobody of %s is found by 5,000 requests of a day, by any of the attacks',
    async (_, world, patience) => {
      const attack = attackedService(world, production);
      const found: string[] = [];
      for (const [by, method] of Object.entries(methods))
        for (const victim of victimsOf(world, runs(10, 100), 78)) {
          // A single right claim among many wrong ones is luck, so an attack must be right twice.
          if ((await attack(victim, method, 1, patience)).metresOff > 1_000) continue;
          if ((await attack(victim, method, 2, patience)).metresOff <= 1_000)
            found.push(`${victim.memberId} by ${by}`);
        }
      expect(found).toEqual([]);
    },
  );
});
