/** Which process a number means: process ids are reused, a start time with it is not. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export type ProcessIdentity = { readonly pid: number; readonly startedAt: string };

/** Undefined when there is no such process, or only its exit status is left. */
export function identify(pid: number): ProcessIdentity | undefined {
  const state = existsSync('/proc/self/stat') ? stateFromProc(pid) : stateFromPs(pid);
  if (state === undefined || state.letter === 'Z') return undefined;
  return { pid, startedAt: state.startedAt };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

type State = { readonly letter: string; readonly startedAt: string };

function stateFromProc(pid: number): State | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the program's name in brackets and may hold anything; state is field 3, start time field 22.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { letter: fields[0] ?? '', startedAt: fields[19] ?? '' };
}

/** macOS has no /proc. */
function stateFromPs(pid: number): State | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [letters = '', ...startedAt] = line.split(/\s+/);
    return { letter: letters[0] ?? '', startedAt: startedAt.join(' ') };
  } catch {
    return undefined;
  }
}
