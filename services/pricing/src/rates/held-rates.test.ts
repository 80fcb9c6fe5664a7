import { describe, expect, it } from '@jest/globals';
import type { ReferenceRates } from '../domain/rates/exchange-rate.ts';
import { holdRates } from './held-rates.ts';

function dollars(date: string, perPound: bigint): ReferenceRates {
  return {
    date,
    perEuroE8: new Map([
      ['GBP', 100_000_000n],
      ['USD', perPound * 100_000_000n],
    ]),
  };
}

describe('the rates that are held', () => {
  const evening = new Date('2026-11-20T18:00:00Z');

  it('change when the store is read again', async () => {
    let stored = [dollars('2026-11-19', 2n)];
    const rates = await holdRates({ newest: async () => stored });
    expect(rates.exchangeRate('USD', evening)).toEqual({ perGbpE6: 2_000_000n, date: '2026-11-19' });
    stored = [dollars('2026-11-20', 3n), ...stored];
    expect(rates.exchangeRate('USD', evening)?.perGbpE6).toBe(2_000_000n);
    await rates.refresh();
    expect(rates.exchangeRate('USD', evening)).toEqual({ perGbpE6: 3_000_000n, date: '2026-11-20' });
  });

  it('go out of date at their minute without another read', async () => {
    const rates = await holdRates({ newest: async () => [dollars('2026-11-19', 2n)] });
    expect(rates.exchangeRate('USD', new Date('2026-11-23T14:59:59.999Z'))).not.toBeNull();
    expect(rates.exchangeRate('USD', new Date('2026-11-23T15:00:00Z'))).toBeNull();
    expect(rates.exchangeRate('USD', new Date('2026-11-23T14:59:00Z'))).not.toBeNull();
  });

  it('are remembered for each currency, and pounds need none', async () => {
    const rates = await holdRates({ newest: async () => [] });
    expect(rates.exchangeRate('GBP', evening)).toEqual({ perGbpE6: 1_000_000n, date: null });
    expect(rates.exchangeRate('USD', evening)).toBeNull();
    expect(rates.exchangeRate('GBP', evening)).not.toBeNull();
  });

  it('have the latest date that is not in the future', async () => {
    const rates = await holdRates({
      newest: async () => [dollars('2026-11-23', 1n), dollars('2026-11-20', 1n)],
    });
    expect(rates.latestDate(evening)).toBe('2026-11-20');
    expect((await holdRates({ newest: async () => [] })).latestDate(evening)).toBeUndefined();
  });
});
