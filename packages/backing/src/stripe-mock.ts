/**
 * stripe-mock, Stripe's own server that checks requests against Stripe's published OpenAPI description. It is a Go program and is
 * published as source only: it is taken from `STRIPE_MOCK` or from PATH, or built once by Go into the user's cache.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cached } from './cache-folder.ts';

/** Go checks the version against its checksum database. It describes Stripe's API of 2026-08-26. */
const VERSION = 'v0.203.0';
const MODULE = `github.com/stripe/stripe-mock@${VERSION}`;
/** Downloading and compiling take a minute on two cores. */
const BUILD_WITHIN_MS = 5 * 60_000;

const run = promisify(execFile);

export type StripeMock = AsyncDisposable & { readonly url: string };

/** Returns the reason when it cannot be had. */
export async function startStripeMock(): Promise<StripeMock | { readonly missing: string }> {
  const program = await findProgram();
  if (typeof program !== 'string') return program;
  const addresses = ['-http-addr', '127.0.0.1:0', '-https-addr', '127.0.0.1:0'];
  const child = spawn(program, addresses, { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => stop(child);
  try {
    return { url: await addressOf(child), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function findProgram(): Promise<string | { readonly missing: string }> {
  for (const program of [process.env.STRIPE_MOCK, 'stripe-mock']) {
    if (program !== undefined && (await works(program, '-version'))) return program;
  }
  if (!(await works('go', 'version'))) return { missing: 'neither stripe-mock nor Go is on PATH' };
  try {
    return join(await cached(`stripe-mock-${VERSION}`, build), 'stripe-mock');
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[1] ?? error.message) : String(error);
    return { missing: `Go could not build ${MODULE}: ${reason}` };
  }
}

async function works(program: string, flag: string): Promise<boolean> {
  return run(program, [flag], { timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

async function build(folder: string): Promise<void> {
  await run('go', ['install', MODULE], {
    timeout: BUILD_WITHIN_MS,
    env: { ...process.env, GOBIN: folder },
  });
}

/** It prints its address. */
async function addressOf(
  child: ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> },
): Promise<string> {
  for await (const line of createInterface(child.stdout)) {
    const address = /Listening for HTTP at address: (\S+)/.exec(line)?.[1];
    if (address === undefined) continue;
    child.stdout.resume();
    return `http://${address}`;
  }
  throw new Error('stripe-mock ended before it listened');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}
