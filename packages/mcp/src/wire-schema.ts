/** The contract's schemas as the MCP SDK takes them, without keywords that only the OpenAPI document needs. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { withoutNoise } from '@offer-ads/contracts/public/json-schema';
import { lazily } from '@offer-ads/contracts/values/lazily';
import { z } from 'zod';

type Schema<S extends z.ZodType> = StandardSchemaWithJSON<z.input<S>, z.output<S>>;
type Written = Record<string, unknown> & { override?: unknown };

/** Of the arguments of a tool. */
export function inputOf<S extends z.ZodObject>(schema: S): Schema<S> {
  return wireSchema(schema, schema['~standard'].validate);
}

/**
 * Of a result. The API's reply is passed on as it is: a field or value of a later release must not hide from the assistant that its
 * purchase succeeded.
 */
export function outputOf<S extends z.ZodType>(schema: S): Schema<S> {
  return wireSchema(schema, (value) => ({ value: value as z.output<S> }));
}

function wireSchema<S extends z.ZodType>(schema: S, validate: Schema<S>['~standard']['validate']): Schema<S> {
  const write = (io: 'input' | 'output') =>
    lazily(() =>
      z.toJSONSchema(schema, {
        io,
        override: ({ jsonSchema }) => {
          withoutNoise({ jsonSchema, io });
          // Of zod-openapi: changes to what zod writes.
          const { override } = jsonSchema as Written;
          delete (jsonSchema as Written).override;
          if (typeof override === 'function') (override as (o: object) => void)({ jsonSchema });
          else Object.assign(jsonSchema, override);
        },
      }),
    );
  return {
    '~standard': {
      version: 1,
      vendor: 'offer-ads',
      validate,
      jsonSchema: { input: write('input'), output: write('output') },
    },
  };
}
