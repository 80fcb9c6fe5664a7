import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { settingsAt } from '../test/admin-under-test.ts';
import { createServiceCalls, ServiceUnreachable } from './service-calls.ts';

it('a service that accepts a call and never answers is unreachable after the time-out', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const settings = settingsAt(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  const ask = createServiceCalls(settings, { timeoutMs: 50 });
  await expect(ask('offers', { method: 'GET', path: '/admin/offers' })).rejects.toThrow(ServiceUnreachable);
  silent.close();
});
