import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const module = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Starts a process with a service. @param start the body of its start function */
function run(start: string): ChildProcess {
  const script = `
    import { runService } from ${JSON.stringify(module('./process.ts'))};
    import { ConfigError } from ${JSON.stringify(module('../config/config-error.ts'))};
    await runService('offers', async () => { ${start} });`;
  return spawn(process.execPath, ['--input-type=module-typescript', '--eval', script]);
}

async function outcome(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = '';
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

/** Works until it is disposed, and prints what happens to it. */
const working = `
  const work = setInterval(() => {}, 1000);
  process.stdout.write('started');
  return {
    drain: async () => void process.stdout.write(' drained'),
    [Symbol.asyncDispose]: async () => { clearInterval(work); process.stdout.write(' stopped'); },
  };`;

describe('a service process', () => {
  it.each([
    ['SIGTERM', 'drains, then disposes', 'started drained stopped'],
    ['SIGINT', 'disposes at once', 'started stopped'],
  ] as const)('on %s %s, and exits with 0', async (signal, _how, printed) => {
    const child = run(working);
    let stdout = '';
    child.stdout?.on('data', (chunk) => (stdout += chunk));
    await once(child.stdout!, 'data');
    child.kill(signal);
    expect(await outcome(child)).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(printed);
  });

  it('collects the garbage of its start at once', async () => {
    // After eight seconds V8 would do it by itself in this small process.
    const child = run(`
      setTimeout(() => process.stdout.write(' late'), 5_000).unref();
      globalThis.collected = new FinalizationRegistry(() => process.stdout.write(' collected'));
      globalThis.collected.register({}, 'what only the start needs');
      ${working}`);
    let stdout = '';
    while (!/collected|late/.test(stdout)) stdout += (await once(child.stdout!, 'data'))[0];
    child.kill('SIGINT');
    expect((await outcome(child)).code).toBe(0);
    expect(stdout).toMatch(/^started collected/);
  });

  it('exits with 78 and prints only the problems when its settings are wrong', async () => {
    const { code, stderr } = await outcome(run(`throw new ConfigError(['PORT is missing: set it'])`));
    expect(code).toBe(78);
    expect(stderr).toBe('offers: Settings are missing or wrong:\n  - PORT is missing: set it\n');
  });

  it('exits with 1 when it cannot start', async () => {
    const { code, stderr } = await outcome(run(`throw new Error('no store')`));
    expect(code).toBe(1);
    expect(stderr).toContain('no store');
  });

  it('ends in time when it gets the signal during a start that hangs', async () => {
    const child = run(`
      const wait = setTimeout;
      globalThis.setTimeout = (work, ms) => wait(work, ms / 100);
      setInterval(() => {}, 1000);
      process.stdout.write('starting');
      await new Promise(() => {});`);
    await once(child.stdout!, 'data');
    child.kill('SIGTERM');
    expect(await outcome(child)).toEqual({ code: 1, stderr: 'offers: did not stop in time\n' });
  });

  it('ends at once on a second signal', async () => {
    const child = run(`
      setInterval(() => {}, 1000);
      process.stdout.write('started');
      return { drain: () => { process.stdout.write('stopping'); return new Promise(() => {}); } };`);
    await once(child.stdout!, 'data');
    child.kill('SIGTERM');
    await once(child.stdout!, 'data');
    child.kill('SIGTERM');
    expect((await outcome(child)).code).toBe(130);
  });
});
