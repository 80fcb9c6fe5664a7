import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { testNamespace } from '@offer-ads/testing/broker';

describe('a trace', () => {
  it('goes on from the cause of an event to its handler, and through a retry', async () => {
    const { url, namespace } = testNamespace();
    const program = fileURLToPath(new URL('traced-event.ts', import.meta.url));
    const args = ['--import', '@offer-ads/platform/telemetry', program, url, namespace];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { cause, handled } = JSON.parse(stdout) as { cause: string; handled: string[] };
    expect(cause).toMatch(/^[0-9a-f]{32}$/);
    expect(handled).toEqual([cause, cause]);
  });
});
