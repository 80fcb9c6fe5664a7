/** Runs the docker command. */
import { execFileSync, spawnSync } from 'node:child_process';

/** Docker's output goes to our own output. Older clients need the builder to be set. */
export function docker(...args: string[]): void {
  const env = { ...process.env, DOCKER_BUILDKIT: '1' };
  const { status, error } = spawnSync('docker', args, { stdio: 'inherit', env });
  if (error) throw new Error(`docker cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`docker ${args[0]} ended with status ${status}`);
}

export function ask(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}
