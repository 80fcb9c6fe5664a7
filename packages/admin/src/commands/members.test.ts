import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { adminUnderTest } from '../../test/admin-under-test.ts';

const { adminJson, received, replies } = adminUnderTest();

describe('member check', () => {
  const checked = {
    ok: true,
    members: 9,
    counted: 9,
    targets: 100,
    differing: 0,
    repaired: false,
  };

  it('asks pricing to compare, and prints the numbers', async () => {
    replies['POST /admin/members/check'] = checked;
    expect(await adminJson('member check')).toEqual({ status: 0, result: checked });
    expect(received).toMatchObject([{ body: {} }]);
  });

  it('fails when something differs, and repairs it with --repair yes', async () => {
    const differing = { ...checked, ok: false, counted: 7, differing: 3 };
    replies['POST /admin/members/check'] = differing;
    expect(await adminJson('member check --repair yes')).toEqual({ status: 1, result: differing });
    expect(received).toMatchObject([{ body: { repair: true } }]);
  });
});

describe('member import', () => {
  it('streams the file as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'members-'));
    const file = join(folder, 'members.ndjson');
    const lines = Array.from({ length: 5_000 }, (_, index) => JSON.stringify({ member_id: index })).join(
      '\n',
    );
    await writeFile(file, lines);
    replies['POST /admin/members/import'] = { imported: 5_000 };
    expect(await adminJson(`member import ${file}`)).toEqual({ status: 0, result: { imported: 5_000 } });
    expect(received[0]?.body).toBe(lines);
    await rm(folder, { recursive: true });
  });
});
