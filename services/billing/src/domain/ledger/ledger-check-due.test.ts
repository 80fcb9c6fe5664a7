import { describe, expect, it } from '@jest/globals';
import { isLedgerCheckDue, nextCheckAfter } from './ledger-check-due.ts';

const at = (text: string) => new Date(text);

describe('the check of the ledger', () => {
  it('is due when there never was one', () => {
    expect(isLedgerCheckDue(undefined, at('2026-06-02T12:00:00Z'))).toBe(true);
  });

  it('is due once after four in the morning', () => {
    expect(isLedgerCheckDue({ checkedAt: at('2026-06-01T04:10:00Z') }, at('2026-06-02T03:59:59Z'))).toBe(
      false,
    );
    expect(isLedgerCheckDue({ checkedAt: at('2026-06-01T04:10:00Z') }, at('2026-06-02T04:00:00Z'))).toBe(
      true,
    );
    expect(isLedgerCheckDue({ checkedAt: at('2026-06-02T04:00:00Z') }, at('2026-06-02T23:00:00Z'))).toBe(
      false,
    );
  });

  it('is due the morning after a person has started one', () => {
    expect(isLedgerCheckDue({ checkedAt: at('2026-06-01T22:00:00Z') }, at('2026-06-02T05:00:00Z'))).toBe(
      true,
    );
  });

  it('is due at once after nights in which the service did not run', () => {
    expect(isLedgerCheckDue({ checkedAt: at('2026-05-20T04:10:00Z') }, at('2026-06-02T01:00:00Z'))).toBe(
      true,
    );
  });
});

describe('the next check of the ledger', () => {
  const last = {
    checkedAt: at('2026-06-10T04:10:00Z'),
    problems: 0,
    wholeAt: at('2026-06-01T04:50:00Z'),
    provenUpTo: 17n,
  };

  it('begins after what is proven', () => {
    expect(nextCheckAfter(last, at('2026-06-11T04:00:00Z'))).toBe(17n);
    expect(nextCheckAfter(last, at('2026-07-01T03:59:59Z'))).toBe(17n);
  });

  it('examines everything in the first night of a month, and in a later one if that night was missed', () => {
    expect(nextCheckAfter(last, at('2026-07-01T04:00:00Z'))).toBeNull();
    expect(nextCheckAfter(last, at('2026-08-20T04:00:00Z'))).toBeNull();
  });

  it('examines everything when nothing is proven yet', () => {
    expect(nextCheckAfter(undefined, at('2026-06-11T04:00:00Z'))).toBeNull();
    expect(nextCheckAfter({ ...last, provenUpTo: null }, at('2026-06-11T04:00:00Z'))).toBeNull();
    expect(nextCheckAfter({ ...last, wholeAt: null }, at('2026-06-11T04:00:00Z'))).toBeNull();
  });

  it('examines everything while problems are reported, so that an old one stays reported', () => {
    expect(nextCheckAfter({ ...last, problems: 1 }, at('2026-06-11T04:00:00Z'))).toBeNull();
  });
});
