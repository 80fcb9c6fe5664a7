/** Work that starts processes: whatever ends it, Ctrl-C included, they are stopped, the last one first. */
import { endCommands } from './process.ts';

export async function withCleanEnd(work: (opened: AsyncDisposableStack) => Promise<void>): Promise<void> {
  const opened = new AsyncDisposableStack();
  const { promise: interrupted, reject: interrupt } = Promise.withResolvers<never>();
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked) return;
    asked = true;
    interrupt(new Interrupted(`stopped by ${signal}`));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const working = work(opened);
  try {
    await Promise.race([working, interrupted]);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    console.error('\nStopping ...');
    process.exitCode = 130;
  } finally {
    working.catch(() => {});
    endCommands();
    await opened.disposeAsync();
    // What was just being started when the signal came ends with an error or joins what is stopped.
    if (asked) process.exit();
  }
}

class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
