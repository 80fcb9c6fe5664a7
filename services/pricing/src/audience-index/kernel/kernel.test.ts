import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as layout from '../memory/layout.ts';
import { openKernel } from './open-kernel.ts';

const folder = new URL('../../../kernel/', import.meta.url).pathname;

describe('the WebAssembly kernel', () => {
  it('is built from its committed source', () => {
    const compiler = createRequire(import.meta.url).resolve('assemblyscript/bin/asc.js');
    const target = mkdtempSync(join(tmpdir(), 'kernel-'));
    const built = join(target, 'built.wasm');
    execFileSync(process.execPath, [compiler, 'index.ts', '--config', 'asconfig.json', '--outFile', built], {
      cwd: folder,
    });
    expect(readFileSync(built).equals(readFileSync(join(folder, 'audience-kernel.wasm')))).toBe(true);
    rmSync(target, { recursive: true });
  });

  it('has the same layout of memory as TypeScript', () => {
    const source = readFileSync(join(folder, 'layout.ts'), 'utf8');
    const kernel = (name: string) =>
      Number(new RegExp(`const ${name}: \\w+ = (\\d+);`, 'u').exec(source)?.[1]);
    const { superblock, columnBlock, node } = layout;
    const bytes = {
      COLUMNS: superblock.columns * 4,
      TAKEN: superblock.taken * 4,
      BLOCK_BOXES: superblock.boxes * 4,
      LATITUDES: superblock.latitudes * 4,
      LONGITUDES: superblock.longitudes * 4,
      KNOWN: columnBlock.known * 4,
      DIRECTORY: columnBlock.directory * 4,
      DENSE: layout.DENSE,
      BITMAP: layout.BITMAP * 4,
      LEVEL: node.level * 4,
      CHILD_COUNT: node.children * 4,
      COUNTERS: node.counters * 4,
      COUNTED_INTERESTS: node.countedInterests * 4,
      CHILD_BOXES: node.boxes * 4,
      ADDRESSES: node.addresses * 4,
      CHILD_GENDERS: node.genders * 4,
      FIRST_INTEREST: layout.INTEREST_COLUMN,
      CHILDREN: layout.CHILDREN,
      GENDERS: layout.GENDERS,
      HIGH_LATITUDE: layout.HIGH_LATITUDE * 4,
      LOW_LONGITUDE: layout.LOW_LONGITUDE * 4,
      HIGH_LONGITUDE: layout.HIGH_LONGITUDE * 4,
      GENDER_COUNT: layout.asked.genderCount * 4,
      INTEREST_COUNT: layout.asked.interestCount * 4,
      GENDER_LIST: layout.asked.genders * 4,
      INTEREST_LIST: layout.asked.interests * 4,
      ROOT: layout.state.root * 4,
    };
    expect(Object.fromEntries(Object.keys(bytes).map((name) => [name, kernel(name)]))).toEqual(bytes);
  });

  it('is chosen where there is WebAssembly', () => {
    expect(openKernel().name).toBe('wasm');
  });
});
