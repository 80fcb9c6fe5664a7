/** One shell for all commands of a guide, so that each has the variables of those before it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Outcome = { readonly status: number; readonly output: string; readonly errors: string };
export type Shell = AsyncDisposable & { readonly run: (code: string) => Promise<Outcome> };

/** Far longer than any example takes. */
const LONGEST_MS = 90_000;

/** @param folder its working directory */
export function startShell(folder: string, environment: NodeJS.ProcessEnv): Shell {
  const child: ChildProcess = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env: environment });
  const ended = once(child, 'close');
  let count = 0;

  async function run(code: string): Promise<Outcome> {
    count += 1;
    const at = (kind: string) => join(folder, `.example-${count}.${kind}`);
    writeFileSync(at('sh'), `${code}\n`);
    const done = `example ${count} ended:`;
    const said = waitFor(child, done);
    child.stdin?.write(`. '${at('sh')}' >'${at('out')}' 2>'${at('err')}' </dev/null; echo "${done} $?"\n`);
    const status = Number(/: (\d+)/.exec(await said)?.[1]);
    return { status, output: readFileSync(at('out'), 'utf8'), errors: readFileSync(at('err'), 'utf8') };
  }

  return {
    run,
    [Symbol.asyncDispose]: async () => {
      child.stdin?.end();
      const kill = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(kill);
    },
  };
}

function waitFor(child: ChildProcess, words: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  const onData = (chunk: Buffer) => {
    text += String(chunk);
    if (new RegExp(`${words} \\d+\n`).test(text)) resolve(text);
  };
  const onClose = () => reject(new Error('the shell has ended'));
  const tooLong = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`the example took longer than ${LONGEST_MS / 1_000} s`));
  }, LONGEST_MS);
  child.stdout?.on('data', onData);
  child.once('close', onClose);
  return promise.finally(() => {
    clearTimeout(tooLong);
    child.stdout?.off('data', onData);
    child.off('close', onClose);
  });
}
