import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Fault } from '../process/faults.ts';
import { validInput } from './valid-input.ts';

const schema = z.object({ offerId: z.int(), limit: z.coerce.number().default(10) });

describe('the input of an internal route', () => {
  it('gets the defaults of the schema', () => {
    expect(validInput(schema, { offerId: 7 })).toEqual({ offerId: 7, limit: 10 });
  });

  it('is refused with a 400 that names every wrong field', () => {
    const refusal = thrown(() => validInput(schema, { offerId: 'x', limit: 'y' }));
    expect(refusal).toMatchObject({ status: 400 });
    expect((refusal as Fault).publicBody.message).toMatch(/offerId: .*; limit: /);
  });

  it('counts as an empty object when there is none', () => {
    expect(thrown(() => validInput(schema, undefined))).toBeInstanceOf(Fault);
  });
});

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
