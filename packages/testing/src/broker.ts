/** A corner of the broker that no other test file sees. */
import { randomUUID } from 'node:crypto';
import { requireAddress } from './config.ts';

export type TestNamespace = {
  readonly url: string;
  /** For the `namespace` option of `connectBroker`. */
  readonly namespace: string;
  readonly dispose: () => Promise<void>;
};

export function testNamespace(): TestNamespace {
  const namespace = `test-${randomUUID().slice(0, 8)}`;
  return { url: requireAddress('rabbitmq'), namespace, dispose: async () => {} };
}
