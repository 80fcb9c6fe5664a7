/**
 * stripe-mock, Stripe's own server that checks requests against Stripe's published OpenAPI description, and that description. It is a Go
 * program and is published as source only: Go builds it once into the user's cache.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cached } from './cache-folder.ts';

/** Go checks the version against its checksum database. It describes the API version that billing's client names. */
const VERSION = 'v0.203.0';
const MODULE = `github.com/stripe/stripe-mock@${VERSION}`;
const DESCRIPTION = 'embedded/openapi/spec3.json';
/** Downloading and compiling take a minute on two cores. */
const BUILD_WITHIN_MS = 5 * 60_000;

const run = promisify(execFile);

/** Only what is read of the description. */
export type StripeDescription = {
  readonly info: { readonly version: string };
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

export type StripeMock = AsyncDisposable & {
  readonly url: string;
  readonly description: StripeDescription;
};

/** Returns the reason when it cannot be had. */
export async function startStripeMock(): Promise<StripeMock | { readonly missing: string }> {
  const folder = await findFolder();
  if (typeof folder !== 'string') return folder;
  const description = JSON.parse(await readFile(join(folder, 'spec3.json'), 'utf8')) as StripeDescription;
  const addresses = ['-http-addr', '127.0.0.1:0', '-https-addr', '127.0.0.1:0'];
  const child = spawn(join(folder, 'stripe-mock'), addresses, { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => stop(child);
  try {
    return { url: await addressOf(child), description, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function findFolder(): Promise<string | { readonly missing: string }> {
  const hasGo = await run('go', ['version'], { timeout: 10_000 }).then(
    () => true,
    () => false,
  );
  if (!hasGo) return { missing: 'Go is not on PATH' };
  try {
    return await cached(`stripe-mock-${VERSION}-described`, build);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[1] ?? error.message) : String(error);
    return { missing: `Go could not build ${MODULE}: ${reason}` };
  }
}

async function build(folder: string): Promise<void> {
  const options = { timeout: BUILD_WITHIN_MS, env: { ...process.env, GOBIN: folder } };
  await run('go', ['install', MODULE], options);
  const { stdout } = await run('go', ['mod', 'download', '-json', MODULE], options);
  const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
  await copyFile(join(Dir, DESCRIPTION), join(folder, 'spec3.json'));
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
