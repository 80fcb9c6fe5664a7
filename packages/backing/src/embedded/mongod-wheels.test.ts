import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { verify } from './mongod-wheels.ts';

it('a downloaded wheel with any other content than the pinned one is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wheel-'));
  const file = join(folder, 'some.whl');
  writeFileSync(file, 'abc');
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(() => verify(file, abc)).not.toThrow();
  writeFileSync(file, 'abd');
  expect(() => verify(file, abc)).toThrow(`expected ${abc}`);
  rmSync(folder, { recursive: true });
});
