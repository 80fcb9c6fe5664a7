import { expect, test } from '@jest/globals';
import { addProfile, groupOf, selfTimes } from './profile-groups.ts';

test.each([
  ['handle', 'file:///app/node_modules/router/index.js', 'express'],
  ['onData', 'file:///app/node_modules/undici/lib/dispatcher/client-h1.js', 'undici'],
  ['redact', 'file:///app/node_modules/@pinojs/redact/index.js', 'pino'],
  ['forward', 'file:///app/services/gateway/src/http/forward.ts', 'ours: gateway'],
  ['observe', 'file:///app/packages/platform/src/telemetry/metrics.ts', 'ours: platform'],
  ['_storeHeader', 'node:_http_outgoing', 'node: http server'],
  ['(garbage collector)', '', 'garbage collection'],
  ['writev', '', 'node: sockets, writing'],
])('%s of %s counts for %s', (functionName, url, group) => {
  expect(groupOf(functionName, url)).toBe(group);
});

test('idling is not work', () => {
  const times = selfTimes();
  const frame = (functionName: string) => ({ functionName, url: '', lineNumber: -1 });
  addProfile(times, {
    nodes: [
      { id: 1, callFrame: frame('(idle)') },
      { id: 2, callFrame: frame('(garbage collector)') },
    ],
    samples: [1, 2, 2, 1],
    timeDeltas: [900, 30, 20, 50],
  });
  expect(times.totalUs).toBe(50);
});
