import { expect, it } from '@jest/globals';
import { collectingLogger } from '@offer-ads/testing/logger';
import { estimateTrace } from './estimate-trace.ts';

const target = { latitude: 51.507351, longitude: -0.127758, radiusMiles: 5, gender: [], interests: [4] };
const asker = { organisationId: 1, personId: 2, keyId: 3, mailbox: 'hash', network: 'hash' };

it('each estimate leaves a trace that names the caller and the size, and neither the place nor the count', () => {
  const { logger, lines } = collectingLogger();
  const trace = estimateTrace(logger);
  const note = (counted: number, of = asker) =>
    trace.note(
      { asker: of, target, counted, now: new Date() },
      { shown: counted, isRevealing: counted < 20, isCoarse: false },
    );
  for (const counted of [7, 7, 31, 1_234_567]) note(counted);
  note(150, { ...asker, keyId: 4 });
  trace.write();
  trace.write();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      organisationId: 1,
      personId: 2,
      keyId: 3,
      revealing: 2,
      coarse: 0,
      sizes: { '0 to 19': 2, '20 to 99': 1, '1000 and more': 1 },
    },
    { keyId: 4, sizes: { '100 to 999': 1 } },
  ]);
  expect(lines.join()).not.toMatch(/\b51\.5\b|latitude|1234567|hash/);
});
