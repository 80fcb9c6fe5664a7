import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { isSecret } from './config.ts';
import { defaultOf, factsOf } from './setting-facts.ts';

describe('the facts of a setting', () => {
  it('are kept when the schema is made optional, gets a default, a check or a transformation', () => {
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

  it('of the outermost schema win', () => {
    const field = z.string().meta({ description: 'a text' }).optional().meta({ description: 'this text' });
    expect(factsOf(field)).toEqual({ description: 'this text' });
    expect(factsOf(z.string())).toEqual({});
  });

  it('say whether it is required, and its default as text', () => {
    expect(defaultOf(z.string())).toEqual({ required: true });
    expect(defaultOf(z.string().optional())).toEqual({ required: false });
    expect(defaultOf(z.string().transform(Number).default(8080))).toEqual({
      required: false,
      byDefault: '8080',
    });
    expect(defaultOf(z.string().default('').transform(Number))).toEqual({ required: false, byDefault: '' });
  });
});
