import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { isSecret } from './config.ts';
import { defaultOf, factsOf } from './setting-facts.ts';

describe('what a schema says of a setting', () => {
  it('outlasts being optional, having a default, being checked and being transformed', () => {
    const password = z.string().meta({ ...isSecret, description: 'a password' });
    const wrapped = [
      password.optional(),
      password.default('x'),
      password.refine(() => true),
      password.transform(Number),
      password.regex(/x/).transform(Number).default(1),
    ];
    for (const field of wrapped) expect(factsOf(field)).toEqual({ secret: true, description: 'a password' });
  });

  it('is said last on the outside', () => {
    const field = z.string().meta({ description: 'a text' }).optional().meta({ description: 'this text' });
    expect(factsOf(field)).toEqual({ description: 'this text' });
    expect(factsOf(z.string())).toEqual({});
  });

  it('tells whether a start insists on it, and the default as one would write it', () => {
    expect(defaultOf(z.string())).toEqual({ required: true });
    expect(defaultOf(z.string().optional())).toEqual({ required: false });
    expect(defaultOf(z.string().transform(Number).default(8080))).toEqual({
      required: false,
      byDefault: '8080',
    });
    expect(defaultOf(z.string().default('').transform(Number))).toEqual({ required: false, byDefault: '' });
  });
});
