/** Processor time from /proc (Linux), in whole ticks of the kernel. */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ is 100 on every Linux that Node runs on. */
const tickMs = 10;

type Stat = {
  readonly pid: number;
  readonly program: string;
  readonly parent: number;
  readonly ownMs: number;
  readonly reapedMs: number;
};

/** The time of a process, its threads and all its descendants, including ended children that it waited for. */
export function cpuMsOf(root: number): number {
  const all = processes();
  const members = new Set([root]);
  // Repeated until no process is added, because parents may be listed after their children.
  for (let before = 0; before !== members.size; ) {
    before = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  return all
    .filter(({ pid }) => members.has(pid))
    .reduce((sum, { ownMs, reapedMs }) => sum + ownMs + reapedMs, 0);
}

/**
 * The same by name: a process counts for itself or its nearest ancestor with a name here, else for its program. Ended processes
 * count for the process that waited for them.
 */
export function cpuMsByName(root: number, names: ReadonlyMap<number, string>): Map<string, number> {
  const all = new Map(processes().map((stat) => [stat.pid, stat]));
  const nameOf = (stat: Stat): string | undefined => {
    for (let at: Stat | undefined = stat; at !== undefined; at = all.get(at.parent)) {
      if (at.pid === root) return names.get(stat.pid) ?? (stat.pid === root ? names.get(root) : stat.program);
      const name = names.get(at.pid);
      if (name !== undefined) return name;
    }
    // It does not belong to the tree.
    return undefined;
  };
  const sums = new Map<string, number>();
  for (const stat of all.values()) {
    const name = nameOf(stat);
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + stat.ownMs + stat.reapedMs);
  }
  return sums;
}

/** The busy time of all cores since the machine started, without waiting for disks. */
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
    const program = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
    // The name in brackets may contain brackets and blanks.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, utime = 0, stime = 0, cutime = 0, cstime = 0] = [1, 11, 12, 13, 14].map(
      (at) => fields[at],
    );
    return { pid, program, parent, ownMs: (utime + stime) * tickMs, reapedMs: (cutime + cstime) * tickMs };
  } catch {
    // It has ended since the listing.
    return undefined;
  }
}
