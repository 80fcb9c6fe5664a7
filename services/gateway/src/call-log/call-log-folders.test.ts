import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { holdAbandonedFolders, holdNewFolder } from './call-log-folders.ts';

const module = JSON.stringify(fileURLToPath(new URL('./call-log-folders.ts', import.meta.url)));

/** The number of folders that another process could take over. */
function freeForOthers(spool: string): number {
  const script = `
    import { holdAbandonedFolders } from ${module};
    process.stdout.write(String(holdAbandonedFolders(${JSON.stringify(spool)}).length));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', script];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

it('a folder that a process holds cannot be taken by another, however often the holder looks for abandoned ones', () => {
  const spool = mkdtempSync(join(tmpdir(), 'call-spool-'));
  const held = holdNewFolder(spool);
  try {
    expect(holdAbandonedFolders(spool)).toEqual([]);
    expect(freeForOthers(spool)).toBe(0);
    held.release({ remove: false });
    expect(freeForOthers(spool)).toBe(1);
  } finally {
    rmSync(spool, { recursive: true, force: true });
  }
});
