/** Processor time from /proc (Linux), in whole ticks of the kernel. */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ is 100 on every Linux that Node runs on. */
const tickMs = 10;

type Stat = {
  readonly pid: number;
  readonly parent: number;
  readonly ownMs: number;
  readonly reapedMs: number;
};

/** Of a process with its threads, and of all processes that descend from it; ended children that it waited for too. */
export function cpuMsOf(root: number): number {
  const all = processes();
  const members = new Set([root]);
  // Parents are not always listed before their children: until nobody joins.
  for (let before = 0; before !== members.size; ) {
    before = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  return all
    .filter(({ pid }) => members.has(pid))
    .reduce((sum, { ownMs, reapedMs }) => sum + ownMs + reapedMs, 0);
}

/** What all cores did since the machine started, waiting for disks and idling left out. */
export function machineBusyMs(): number {
  const [, ...columns] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').trim().split(/\s+/);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = columns.map(Number);
  return (user + nice + system + irq + softirq + steal) * tickMs;
}

function processes(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything, brackets and blanks too.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, utime = 0, stime = 0, cutime = 0, cstime = 0] = [1, 11, 12, 13, 14].map(
      (at) => fields[at],
    );
    return { pid, parent, ownMs: (utime + stime) * tickMs, reapedMs: (cutime + cstime) * tickMs };
  } catch {
    // Gone since the listing.
    return undefined;
  }
}
