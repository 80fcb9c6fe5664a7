import { describe, expect, it } from '@jest/globals';
import { type Counted, setLimitFields } from './rate-limit.ts';

function counted(name: string, requests: number, remaining: number, allowed = true): Counted {
  return {
    limit: { name, requests, windowSeconds: 60 },
    state: { allowed, limit: requests, remaining, resetSeconds: 42 },
  };
}
const fields = (...all: [Counted, ...Counted[]]) => {
  const set: Record<string, unknown> = {};
  setLimitFields({ setHeader: (name: string, value: unknown) => void (set[name] = value) } as never, all);
  return set;
};

describe('the fields of a limit', () => {
  it('are those of decision 21, rate limits, and of the draft', () => {
    expect(fields(counted('ip', 60, 59))).toEqual({
      'X-RateLimit-Limit': 60,
      'X-RateLimit-Remaining': 59,
      'X-RateLimit-Reset': 42,
      'RateLimit-Policy': '"ip";q=60;w=60',
      RateLimit: '"ip";r=59;t=42',
    });
  });

  it('list two limits in the fields of the draft, and describe the nearer one in the others', () => {
    expect(fields(counted('ip', 60, 20), counted('key', 600, 19))).toEqual({
      'X-RateLimit-Limit': 600,
      'X-RateLimit-Remaining': 19,
      'X-RateLimit-Reset': 42,
      'RateLimit-Policy': '"ip";q=60;w=60, "key";q=600;w=60',
      RateLimit: '"ip";r=20;t=42, "key";r=19;t=42',
    });
    expect(fields(counted('ip', 60, 20), counted('key', 600, 21))['X-RateLimit-Limit']).toBe(60);
  });

  it('describe the limit that refused, even if the other is used up too', () => {
    const refused = fields(counted('ip', 60, 0), counted('key', 5, 0, false));
    expect(refused['X-RateLimit-Limit']).toBe(5);
  });
});
