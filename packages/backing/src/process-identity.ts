/** Identifies a process by its id and its start time, because ids are reused. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export type ProcessIdentity = { readonly pid: number; readonly startedAt: string };

/** Undefined when there is no such process, or when it has ended and only its exit status is kept. */
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
  // Field 2 is the program's name in brackets and may contain any character. Field 3 is the state, field 22 the start time.
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
