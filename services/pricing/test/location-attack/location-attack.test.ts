/** What 5,000 estimates reveal about a member's position (ADR 19 has the figures of all defences). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import { runs } from '@offer-ads/testing/profile';
import { type Attack, attackedService, type Defence, victimsOf } from './attack.ts';
import { type AttackedWorld, cityWorld, countryWorld } from './attacked-world.ts';
import {
  exactDifferences,
  flatMetres,
  liftsAtFoundSteps,
  liftsOverSteps,
  type Method,
  meanDifferences,
  weighedDifferences,
} from './attacker.ts';

const none: Defence = { positions: 'exact', minCohort: 1, revealingPerDay: undefined };
const production: Defence = { positions: 'rounded', minCohort: 10, revealingPerDay: 200 };

const city = cityWorld(1);
const country = countryWorld(2);
const methods: Readonly<Record<string, Method>> = {
  'exact differences': exactDifferences,
  'lifts over steps': liftsOverSteps({ draws: 40, step: 10 }),
  'lifts at found steps': liftsAtFoundSteps({ halvings: 7 }),
  'means of many': meanDifferences({ draws: 20, step: 10 }),
  'weighed differences': weighedDifferences({ draws: 20, step: 10 }),
};

function metresOff({ victim, claim }: Attack): number {
  return claim === null ? Number.POSITIVE_INFINITY : flatMetres(victim, claim);
}

describe('the attacks', () => {
  it('find nearly everybody in the country to 30 metres when counts and positions are exact', async () => {
    const service = attackedService(country, none);
    let found = 0;
    for (const victim of victimsOf(country, 10, 77)) {
      const attack = await service.attack(victim, exactDifferences, 1);
      if (metresOff(attack) <= 30 && attack.requests < 500) found += 1;
    }
    expect(found).toBeGreaterThanOrEqual(8);
  });

  it('find members to a kilometre in spite of a minimum cohort of 10 and coarse positions', async () => {
    const service = attackedService(country, { ...production, revealingPerDay: undefined });
    let found = 0;
    for (const victim of victimsOf(country, 20, 77)) {
      const attack = await service.attack(victim, methods['lifts over steps'] as Method, 1);
      if (metresOff(attack) <= 1_000) found += 1;
    }
    expect(found).toBeGreaterThanOrEqual(5);
  });

  it('find members to a kilometre in 200 estimates where steps are at known multiples of ten', async () => {
    const service = attackedService(country, { ...production, revealingPerDay: undefined });
    let found = 0;
    for (const victim of victimsOf(country, 20, 77)) {
      const method = methods['lifts at found steps'] as Method;
      const attack = await service.attack(victim, method, 1, { requests: 200 });
      if (metresOff(attack) <= 1_000) found += 1;
    }
    expect(found).toBeGreaterThanOrEqual(5);
  });
});

describe('where positions are coarse', () => {
  it('nobody is located better than the rounding: every answer is the same for every place within a cell', async () => {
    const elsewhere: AttackedWorld = {
      ...country,
      members: country.members.map((member, n) => {
        const { latitude, longitude } = coarsePosition(member);
        const inCell = (seed: number) => (((n * seed) % 97) / 97 - 0.5) * 0.0098;
        return { ...member, latitude: latitude + inCell(31), longitude: longitude + inCell(57) };
      }),
    };
    const defence: Defence = { ...none, positions: 'rounded' };
    const [here, there] = [attackedService(country, defence), attackedService(elsewhere, defence)];
    for (const victim of victimsOf(country, 10, 77)) {
      const attack = await here.attack(victim, exactDifferences, 1);
      expect(await there.attack(victim, exactDifferences, 1)).toEqual(attack);
    }
  });
});

describe('as production is configured', () => {
  it.each([
    ['docker-compose.yml', /AUDIENCE_MIN_COHORT: \$\{AUDIENCE_MIN_COHORT:-10\}/],
    ['docker-compose.yml', /PRIVACY_BUDGET_PER_DAY: \$\{PRIVACY_BUDGET_PER_DAY:-200\}/],
    ['docker-compose.yml', /PRIVACY_BUDGET_PER_30_DAYS: \$\{PRIVACY_BUDGET_PER_30_DAYS:-1000\}/],
    ['deploy/k8s/base/services/kustomization.yaml', /- AUDIENCE_MIN_COHORT=10\n/],
    ['deploy/k8s/base/services/kustomization.yaml', /- PRIVACY_BUDGET_PER_DAY=200\n/],
    ['deploy/k8s/base/services/kustomization.yaml', /- PRIVACY_BUDGET_PER_30_DAYS=1000\n/],
  ])('%s says what is attacked here: %s', (file, setting) => {
    expect(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')).toMatch(setting);
  });

  it.each([
    ['the city', city, { requests: 5_000 }],
    ['the country', country, { requests: 5_000 }],
    ['the city, whoever stops when counts get coarse', city, { requests: 5_000, days: 1 }],
    ['the country, whoever stops when counts get coarse', country, { requests: 5_000, days: 1 }],
  ])(
    'nobody of %s is found by 5,000 requests of a day, by any of the attacks',
    async (_, world, patience) => {
      const service = attackedService(world, production);
      const found: string[] = [];
      for (const [by, method] of Object.entries(methods))
        for (const victim of victimsOf(world, runs(10, 100), 78)) {
          // A single right claim among many wrong ones is luck, so an attack must be right twice.
          const attack = await service.attack(victim, method, 1, patience);
          if (metresOff(attack) > 1_000) continue;
          if (metresOff(await service.attack(victim, method, 2, patience)) <= 1_000)
            found.push(`${victim.memberId} by ${by}`);
        }
      expect(found).toEqual([]);
    },
  );
});
