/** Measures every attack against every defence, and daily attacks, for ADR 19: `node services/pricing/test/location-attack/measure.ts`. */
import { attackedService, type Defence, type Patience, victimsOf } from './attack.ts';
import { cityWorld, countryWorld } from './attacked-world.ts';
import { means, methods } from './attacker.ts';

const aDay: Patience = { requests: 5_000 };
const production: Defence = { positions: 'rounded', minCohort: 10, perDay: 200, per30Days: 1_000 };
const defences: readonly (readonly [string, Defence, Patience])[] = [
  ['exact counts and positions', { positions: 'exact', minCohort: 1 }, aDay],
  ['cohort of 10', { positions: 'exact', minCohort: 10 }, aDay],
  ['positions of a kilometre', { positions: 'rounded', minCohort: 1 }, aDay],
  ['both', { positions: 'rounded', minCohort: 10 }, aDay],
  ['both, and a budget of 200', { positions: 'rounded', minCohort: 10, perDay: 200 }, aDay],
  // Attackers who stop when a budget is used up, and continue on the next day.
  ...[1, 30, 365].map(
    (days) => [`production, ${days} days`, production, { requests: 100_000, days }] as const,
  ),
];
const inHundreds = means({ draws: 20, step: 100, weight: 3, others: 0.5 });
const columns = ['defence', 'where', 'attack', '30 m', '300 m', '1 km', 'twice', 'claims', 'found by'];
process.stdout.write(`| ${columns.join(' | ')} |\n`);

for (const [how, defence, patience] of defences)
  for (const [where, world] of Object.entries({ city: cityWorld(1), country: countryWorld(2) })) {
    const attack = attackedService(world, defence);
    for (const [by, method] of Object.entries({ ...methods, 'means, steps of 100': inHundreds })) {
      const metres: number[] = [];
      const found: string[] = [];
      let twice = 0;
      for (const victim of victimsOf(world, 20, 77)) {
        const { metresOff, day, shownCounts } = await attack(victim, method, 1, patience);
        metres.push(metresOff);
        if (metresOff > 1_000) continue;
        found.push(`${shownCounts.length} requests until day ${day}`);
        if ((await attack(victim, method, 2, patience)).metresOff <= 1_000) twice += 1;
      }
      const within = [30, 300, 1_000].map((limit) => metres.filter((each) => each <= limit).length);
      const claims = metres.filter(Number.isFinite).length;
      process.stdout.write(
        `| ${[how, where, by, ...within, twice, claims, found.join(', ') || '-'].join(' | ')} |\n`,
      );
    }
  }
