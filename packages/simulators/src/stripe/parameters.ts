/** Parameters as the SDK sends them: form-encoded, so every value is text. Refusals name them as Stripe does. */
import { z } from 'zod';
import { invalid, type Reply } from './replies.ts';

export const text = z.string().min(1);
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/, 'Invalid integer')
  .transform(Number);
const metadata = z.record(z.string().max(40), z.string().max(500)).optional();
export const pageSize = wholeNumber.refine(
  (limit) => limit >= 1 && limit <= 100,
  'Invalid integer: limit is 1 to 100',
);
const address = z.url('Not a valid URL');

const lineItem = z.strictObject({
  price_data: z.strictObject({
    currency: z
      .string()
      .regex(/^[a-zA-Z]{3}$/, 'Invalid currency')
      .toLowerCase(),
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

/** Parameters of Stripe that have no effect in the simulator. Other names are refused, as Stripe does. */
const withoutEffect = Object.fromEntries(
  (
    'adaptive_pricing after_expiration allow_promotion_codes allowed_payment_method_types automatic_tax ' +
    'billing_address_collection branding_settings consent_collection currency custom_fields custom_text ' +
    'customer_creation customer_update integration_identifier invoice_creation locale managed_payments ' +
    'name_collection origin_context payment_intent_data payment_method_configuration payment_method_options ' +
    'phone_number_collection submit_type tax_id_collection ui_mode wallet_options'
  )
    .split(' ')
    .map((name) => [name, z.unknown().optional()]),
);

export const sessionParameters = z.strictObject({
  ...withoutEffect,
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
  return {
    ok: false,
    reply: invalid(`${issue.message}: ${typeof given === 'string' ? given : JSON.stringify(given)}`, {
      param,
    }),
  };
}

/** `line_items[0][price_data][currency]`. */
function parameterName(path: readonly PropertyKey[]): string {
  const [first, ...rest] = path.map(String);
  return (first ?? '') + rest.map((key) => `[${key}]`).join('');
}
