/** Valkey, with a prefix of keys that no other test file uses. What is counted there ends by itself. */
import { randomUUID } from 'node:crypto';
import { requireAddress } from '../config.ts';

export function testValkey(): { readonly url: string; readonly namespace: string } {
  return { url: requireAddress('valkey'), namespace: `test-${randomUUID()}` };
}
