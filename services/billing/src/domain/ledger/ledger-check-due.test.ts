import { describe, expect, it } from '@jest/globals';
import { isLedgerCheckDue } from './ledger-check-due.ts';

const at = (text: string) => new Date(text);

describe('the check of the ledger', () => {
  it('is due when there never was one', () => {
    expect(isLedgerCheckDue(undefined, at('2026-06-02T12:00:00Z'))).toBe(true);
  });

  it('is due once after four in the morning', () => {
    expect(isLedgerCheckDue(at('2026-06-01T04:10:00Z'), at('2026-06-02T03:59:59Z'))).toBe(false);
    expect(isLedgerCheckDue(at('2026-06-01T04:10:00Z'), at('2026-06-02T04:00:00Z'))).toBe(true);
    expect(isLedgerCheckDue(at('2026-06-02T04:00:00Z'), at('2026-06-02T23:00:00Z'))).toBe(false);
  });

  it('is due the morning after a person has started one', () => {
    expect(isLedgerCheckDue(at('2026-06-01T22:00:00Z'), at('2026-06-02T05:00:00Z'))).toBe(true);
  });

  it('is due at once after nights in which the service did not run', () => {
    expect(isLedgerCheckDue(at('2026-05-20T04:10:00Z'), at('2026-06-02T01:00:00Z'))).toBe(true);
  });
});
