#!/usr/bin/env node
/** The command line: `offer-ads`. */
import { environment } from './config.ts';
import { run } from './run.ts';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

process.exitCode = await run(process.argv.slice(2), {
  env: environment(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  now: () => new Date(),
  signal: interrupted.signal,
});
