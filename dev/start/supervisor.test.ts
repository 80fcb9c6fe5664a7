import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { freePorts } from '@offer-ads/backing/free-port';
import type { ProcessPlan } from './plans.ts';
import { worthPrinting } from './process-log.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

let folder: string;
let supervisor: Supervisor;
let lines: string[];
let restarted: PromiseWithResolvers<void>;
let reported: (line: string) => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervisor-'));
  lines = [];
  restarted = Promise.withResolvers();
  reported = () => {};
  supervisor = createSupervisor({
    logsFolder: folder,
    runFolder: folder,
    report: (line) => {
      lines.push(line);
      reported(line);
    },
    onRestart: () => restarted.resolve(),
  });
});
afterEach(async () => {
  await supervisor.stop(['one', 'two']);
  rmSync(folder, { recursive: true });
});

const server = `
  require('node:http').createServer((req, res) => res.end('ok')).listen(Number(process.env.PORT), '127.0.0.1');
  console.log('listening');
`;

async function plan(name: string, code = server): Promise<ProcessPlan> {
  const [port] = await freePorts(1);
  const file = join(folder, `${name}.cjs`);
  writeFileSync(file, code);
  return { name, args: [file], env: { PORT: `${port}` }, readyUrl: `http://127.0.0.1:${port}/` };
}

it('a process that dies is started again under a new id, and the others live on', async () => {
  const [one, two] = [await plan('one'), await plan('two')];
  await Promise.all([supervisor.start(one), supervisor.start(two)]);
  const before = supervisor.pids();
  const again = new Promise<void>((resolve) => {
    reported = (line) => line.includes('runs again') && resolve();
  });
  process.kill(before.one!, 'SIGKILL');
  await restarted.promise;
  await again;
  const after = supervisor.pids();
  expect(after.two).toBe(before.two);
  expect(after.one).not.toBe(before.one);
  expect(lines).toEqual([
    '[one] ended (SIGKILL); it is started again in 0.25 s',
    `[one] runs again (process ${after.one})`,
  ]);
  expect((await fetch(one.readyUrl)).ok).toBe(true);
});

it('what is stopped stays stopped, and leaves no record', async () => {
  const one = await plan('one');
  await supervisor.start(one);
  expect(readdirSync(folder)).toContain('one.server.json');
  await supervisor.stop(['one']);
  expect(supervisor.pids()).toEqual({});
  expect(lines).toEqual([]);
  expect(readdirSync(folder)).not.toContain('one.server.json');
  expect(readFileSync(join(folder, 'one.log'), 'utf8')).toBe('listening\n');
});

it('a process that keeps ending makes the start fail and names its log', async () => {
  const one = await plan('one', 'process.exit(3)');
  await expect(supervisor.start(one)).rejects.toThrow(`see ${join(folder, 'one.log')}`);
  expect(lines.filter((line) => line.includes('ended (status 3)'))).toHaveLength(3);
});

it('a process whose settings are wrong makes the start fail at once', async () => {
  const one = await plan('one', 'process.exit(78)');
  await expect(supervisor.start(one)).rejects.toThrow('did not become ready');
  expect(lines).toHaveLength(1);
});

it('a process that ends once, its port being taken, becomes ready all the same', async () => {
  const flag = join(folder, 'ended-once');
  const endOnce = `const fs = require('node:fs');
    if (!fs.existsSync(${JSON.stringify(flag)})) { fs.writeFileSync(${JSON.stringify(flag)}, ''); process.exit(1); }`;
  const one = await plan('one', endOnce + server);
  await supervisor.start(one);
  expect((await fetch(one.readyUrl)).ok).toBe(true);
});

it('the console gets warnings and errors only, in a few words', () => {
  const told = (entry: object) => worthPrinting(JSON.stringify(entry), false);
  expect(told({ level: 'info', msg: 'request' })).toBeUndefined();
  expect(told({ level: 'warn', msg: 'slow' })).toBe('warning: slow');
  expect(told({ level: 'error', msg: 'failed', error: { message: 'no route' } })).toBe(
    'error: failed (no route)',
  );
  expect(worthPrinting('plain words', false)).toBeUndefined();
  expect(worthPrinting('plain words', true)).toBe('plain words');
  expect(worthPrinting('    at stack', true)).toBeUndefined();
});
