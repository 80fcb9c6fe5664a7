/** Measures every attack against every defence, and the days that daily attacks take, for ADR 19: `node services/pricing/test/location-attack/measure.ts`. */
import { attackedService, type Defence, victimsOf } from './attack.ts';
import { cityWorld, countryWorld } from './attacked-world.ts';
import {
  exactDifferences,
  flatMetres,
  liftsAtFoundSteps,
  liftsOverSteps,
  meanDifferences,
  weighedDifferences,
} from './attacker.ts';

const defences: Readonly<Record<string, Defence>> = {
  'exact counts and positions': { positions: 'exact', minCohort: 1, revealingPerDay: undefined },
  'cohort of 10': { positions: 'exact', minCohort: 10, revealingPerDay: undefined },
  'positions of a kilometre': { positions: 'rounded', minCohort: 1, revealingPerDay: undefined },
  both: { positions: 'rounded', minCohort: 10, revealingPerDay: undefined },
  'both, and a budget of 200': { positions: 'rounded', minCohort: 10, revealingPerDay: 200 },
};
const methods = {
  'exact differences': exactDifferences,
  'lifts over steps': liftsOverSteps({ draws: 40, step: 10 }),
  'lifts at found steps': liftsAtFoundSteps({ halvings: 7 }),
  'weighed differences': weighedDifferences({ draws: 20, step: 10 }),
  'means of 20, steps of 10': meanDifferences({ draws: 20, step: 10 }),
  'means of 20, steps of 100': meanDifferences({ draws: 20, step: 100 }),
};
const worlds = { city: cityWorld(1), country: countryWorld(2) };
const VICTIMS = 20;

for (const [how, defence] of Object.entries(defences)) {
  for (const [where, world] of Object.entries(worlds)) {
    const service = attackedService(world, defence);
    for (const [by, method] of Object.entries(methods)) {
      const metres: number[] = [];
      const requests: number[] = [];
      let twice = 0;
      for (const victim of victimsOf(world, VICTIMS, 77)) {
        const first = await service.attack(victim, method, 1);
        const away = first.claim === null ? Number.POSITIVE_INFINITY : flatMetres(victim, first.claim);
        metres.push(away);
        if (away > 1_000) continue;
        requests.push(first.requests);
        const again = (await service.attack(victim, method, 2)).claim;
        if (again !== null && flatMetres(victim, again) <= 1_000) twice += 1;
      }
      const within = (limit: number) => metres.filter((each) => each <= limit).length;
      const range = requests.length === 0 ? '-' : `${Math.min(...requests)} to ${Math.max(...requests)}`;
      process.stdout.write(
        `| ${how} | ${where} | ${by} | ${within(30)} | ${within(300)} | ${within(1_000)} | ${twice} | ${range} |\n`,
      );
    }
  }
}

/** With the settings of production; attackers stop when a budget is used up and continue on the next day. */
const production: Defence = {
  positions: 'rounded',
  minCohort: 10,
  revealingPerDay: 200,
  revealingPer30Days: 1_000,
};
for (const [where, world] of Object.entries(worlds)) {
  const service = attackedService(world, production);
  for (const [by, method] of Object.entries(methods)) {
    for (const days of [1, 30, 365]) {
      let claims = 0;
      const found: string[] = [];
      for (const victim of victimsOf(world, VICTIMS, 77)) {
        const { claim, day, requests } = await service.attack(victim, method, 1, { requests: 100_000, days });
        if (claim === null) continue;
        claims += 1;
        if (flatMetres(victim, claim) <= 1_000) found.push(`day ${day} (${requests} requests)`);
      }
      const when = found.length === 0 ? '-' : found.join(', ');
      process.stdout.write(
        `| ${where} | ${by} | ${days} days | ${found.length} of ${VICTIMS} | ${claims} claims | ${when} |\n`,
      );
    }
  }
}
