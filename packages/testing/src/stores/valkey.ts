/** Valkey with a prefix of keys for one test file. The keys expire. */
import { randomUUID } from 'node:crypto';
import { requireAddress } from '../config.ts';

export function testValkey(): { readonly url: string; readonly namespace: string } {
  return { url: requireAddress('valkey'), namespace: `test-${randomUUID()}` };
}
