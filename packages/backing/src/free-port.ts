/** Free ports of the loopback address. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFolder } from './data-folder.ts';

/**
 * Below the ports that Linux, macOS and Windows assign by themselves (the lowest is 32,768). So the system gives none of these to a
 * connection or to another listener before the caller listens on it.
 */
const FIRST_PORT = 10_000;
const BLOCK = 32;
const BLOCKS = 711;
const TRIES = 1_000;

/**
 * A process takes ports only out of blocks that it has claimed, until it ends. So two processes never take the same port, also when both
 * will listen on theirs much later.
 */
const claims = new Map<number, Promise<boolean>>();
const folders: string[] = [];
/** Of the blocks that were claimed for these. */
const untaken: number[] = [];

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries > TRIES) throw new Error(`no ${count} free ports of loopback were found`);
    const port = untaken.pop();
    if (port === undefined) await claimAnyBlock();
    else if (await isFree(port)) ports.push(port);
  }
  return ports;
}

/** Whether no other process may take this port by `freePorts`, as long as this one runs. */
export async function claimPort(port: number): Promise<boolean> {
  const block = Math.floor((port - FIRST_PORT) / BLOCK);
  return block < 0 || block >= BLOCKS || claimBlock(block);
}

export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isListening) await once(server.close(), 'close');
  return isListening;
}

async function claimAnyBlock(): Promise<void> {
  const block = randomInt(BLOCKS);
  if (claims.has(block) || !(await claimBlock(block))) return;
  untaken.push(...Array.from({ length: BLOCK }, (_, index) => FIRST_PORT + block * BLOCK + index));
}

function claimBlock(block: number): Promise<boolean> {
  const known = claims.get(block);
  if (known !== undefined) return known;
  const folder = join(tmpdir(), `offer-ads-ports-${FIRST_PORT + block * BLOCK}`);
  const claim = claimFolder(folder).then(
    () => {
      // After a kill they stay, and the next process that wants the block sees that its owner is dead.
      if (folders.length === 0) process.once('exit', removeClaims);
      folders.push(folder);
      return true;
    },
    () => false,
  );
  claims.set(block, claim);
  return claim;
}

function removeClaims(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
