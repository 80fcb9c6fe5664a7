/** Parameters as the SDK sends them: form-encoded, so every value is text. Refusals name them as Stripe does. */
import { cardMinimumMinor } from '@offer-ads/contracts/values/currencies';
import { z } from 'zod';
import { invalid, type Reply } from './replies.ts';

export const text = z.string().min(1);
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/, 'Invalid integer')
  .transform(Number);
const MAX_METADATA_KEYS = 50;
const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .superRefine((given, { addIssue }) => {
    const keys = Object.keys(given).length;
    if (keys > MAX_METADATA_KEYS) {
      addIssue(`Metadata can have up to ${MAX_METADATA_KEYS} keys, but you've set ${keys}.`);
    }
  })
  .optional();
export const pageSize = wholeNumber.refine(
  (limit) => limit >= 1 && limit <= 100,
  'Invalid integer: limit is 1 to 100',
);
const address = z.url('Not a valid URL');

const currency = text
  .toLowerCase()
  .refine((given) => cardMinimumMinor(given.toUpperCase()) !== undefined, 'Invalid currency');

const lineItem = z.strictObject({
  price_data: z.strictObject({
    currency,
    unit_amount: wholeNumber,
    tax_behavior: z.enum(['exclusive', 'inclusive', 'unspecified']).optional(),
    product_data: z.strictObject({
      name: text,
      description: text.optional(),
      images: z.array(text).optional(),
      metadata,
      tax_code: text.optional(),
    }),
  }),
  quantity: wholeNumber.refine((quantity) => quantity > 0, 'Invalid integer'),
  tax_rates: z.array(text).optional(),
});

/** What billing sends, and what tests read. Stripe's other parameters are refused as unknown. */
export const sessionParameters = z.strictObject({
  adaptive_pricing: z.strictObject({ enabled: flag.optional() }).optional(),
  payment_intent_data: z.strictObject({ metadata }).optional(),
  payment_method_types: z
    .array(z.literal('card', 'The simulator has only the payment method type `card`'))
    .optional(),
  mode: z.literal('payment', 'The simulator has only the mode `payment`'),
  line_items: z.array(lineItem).min(1),
  success_url: address,
  cancel_url: address.optional(),
  client_reference_id: text.max(200).optional(),
  customer_email: z.email('Invalid email address').optional(),
  expires_at: wholeNumber.optional(),
  metadata,
});
export type SessionParameters = z.infer<typeof sessionParameters>;

export const taxRateParameters = z.strictObject({
  display_name: text.max(50),
  inclusive: flag,
  percentage: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,4})?$/, 'Invalid decimal')
    .transform(Number)
    .refine((percentage) => percentage <= 100, 'Percentage must be at most 100'),
  active: flag.optional(),
  country: text.optional(),
  description: text.optional(),
  jurisdiction: text.optional(),
  metadata,
  state: text.optional(),
  tax_type: text.optional(),
});

export const noParameters = z.strictObject({});

export const retrieveParameters = z.strictObject({ expand: z.array(z.literal('line_items')).optional() });

export const listParameters = z.strictObject({
  limit: pageSize.optional(),
  starting_after: text.optional(),
  active: flag.optional(),
  inclusive: flag.optional(),
});

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reply: Reply };

export function parseParameters<S extends z.ZodType>(schema: S, input: unknown): Parsed<z.infer<S>> {
  const result = schema.safeParse(input ?? {});
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  if (!issue) return { ok: false, reply: invalid('Invalid request') };
  if (issue.code === 'unrecognized_keys') {
    const param = parameterName([...issue.path, issue.keys[0] ?? '']);
    const message = `Received unknown parameter: ${param}`;
    return { ok: false, reply: invalid(message, { code: 'parameter_unknown', param }) };
  }
  const param = parameterName(issue.path);
  const given = issue.path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown>)?.[key],
    input,
  );
  if (given === undefined) {
    const message = `Missing required param: ${param}.`;
    return { ok: false, reply: invalid(message, { code: 'parameter_missing', param }) };
  }
  const value = typeof given === 'string' ? given : JSON.stringify(given);
  const message = issue.code === 'custom' ? issue.message : `${issue.message}: ${value}`;
  return { ok: false, reply: invalid(message, { param }) };
}

/** `line_items[0][price_data][currency]`. */
function parameterName(path: readonly PropertyKey[]): string {
  const [first, ...rest] = path.map(String);
  return (first ?? '') + rest.map((key) => `[${key}]`).join('');
}
