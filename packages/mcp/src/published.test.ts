/** The package as users install it, on each installed Node. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { everyNode } from '../../sdk/test/every-node.ts';
import { type StandIn, startStandIn } from '../../sdk/test/stand-in.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

let service: StandIn;
let folder: string;
beforeAll(async () => {
  service = await startStandIn();
  folder = mkdtempSync(join(tmpdir(), 'mcp-consumer-'));
  execFileSync(process.execPath, [join(repository, 'packages/mcp/build.ts'), folder]);
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test('needs only packages that it names, and none of ours, which no registry has', () => {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const named = Object.keys((JSON.parse(manifest) as { dependencies: object }).dependencies);
  const program = readFileSync(join(folder, 'main.js'), 'utf8');
  const imported = [...program.matchAll(/^import .* from "((?:@[\w-]+\/)?[\w-]+)/gm)].map(([, name]) => name);
  expect(imported.length).toBeGreaterThan(2);
  expect(new Set(imported)).toEqual(new Set(['node', ...named]));
  expect(manifest).not.toContain('"@offer-ads/sdk"');
});

test.each(await everyNode())('answers an assistant on Node %s', async (_version, node) => {
  const client = new Client({ name: 'test', version: '1' });
  const env = { OFFER_ADS_API_KEY: 'pk_test_1', OFFER_ADS_BASE_URL: service.url };
  await client.connect(
    new StdioClientTransport({ command: node, args: [join(folder, 'main.js')], cwd: folder, env }),
  );
  try {
    const { structuredContent } = await client.callTool({ name: 'list_categories' });
    expect(structuredContent).toEqual({
      categories: [{ category_id: 1, category_name: 'Food and drink' }],
    });
  } finally {
    await client.close();
  }
});
