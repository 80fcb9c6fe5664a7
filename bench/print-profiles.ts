/** Prints the self time of each group and of the top functions, from the CPU profiles in a folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addProfile, type CpuProfile, selfTimes } from './profile-groups.ts';

const leastShare = 0.005;

export function printProfiles(folder: string): void {
  const times = selfTimes();
  for (const file of readdirSync(folder)) {
    addProfile(times, JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile);
  }
  const share = (us: number) => `${((us / times.totalUs) * 100).toFixed(1).padStart(5)} %`;
  const large = sorted(times.groups).filter(([, us]) => us / times.totalUs >= leastShare);
  for (const [group, us] of large) console.log(`${share(us)}  ${group}`);
  console.log('\nFunctions with the most self time:');
  for (const [name, us] of sorted(times.functions).slice(0, 40)) console.log(`${share(us)}  ${name}`);
}

function sorted(times: ReadonlyMap<string, number>): [string, number][] {
  return [...times].toSorted(([, a], [, b]) => b - a);
}
