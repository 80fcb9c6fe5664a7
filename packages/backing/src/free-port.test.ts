import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const taker = `
const { freePorts } = await import(${JSON.stringify(new URL('free-port.ts', import.meta.url).href)});
console.log(JSON.stringify(await freePorts(150)));
process.stdin.on('end', () => process.exit()).resume();
`;

it('are taken by one process at a time, also while nobody listens on them', async () => {
  const children = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', taker], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  try {
    const taken = await Promise.all(
      children.map(async ({ stdout }) => {
        for await (const line of createInterface(stdout)) return JSON.parse(line) as number[];
        throw new Error('it took no ports');
      }),
    );
    expect(new Set(taken.flat()).size).toBe(5 * 150);
  } finally {
    for (const { stdin } of children) stdin.end();
  }
});
