/** Registration of an organisation without the platform team, before sign-in. A refusal is `{message}`; 403 while this is switched off. */
import { z } from 'zod';
import { countries } from '../values/countries.ts';
import { billedCurrencies } from '../values/currencies.ts';
import { enteredMailAddress } from '../values/mail-address.ts';
import { country, currency } from '../values/primitives.ts';
import { line, tradingName } from './organisation-api.ts';

/** GET /portal/api/sign-up: whether registration is open, and the countries and currencies to choose from. */
export const signUpState = z.object({
  open: z.boolean(),
  approval: z.boolean().meta({
    description: 'Whether the platform team must approve an organisation before it has LIVE mode.',
  }),
  countries: z.array(country),
  currencies: z.array(currency).meta({ description: 'Currencies in which offers can be paid.' }),
});
export type SignUpState = z.infer<typeof signUpState>;

/** POST /portal/api/sign-up */
export const signUpRequest = z.object({
  // Invitations contain the name and may go to strangers, and mail programs turn text that looks like an address into a link.
  name: line(200)
    .refine((name) => !/:\/\/|\bwww\./i.test(name), 'must not contain an address such as https://')
    .meta({ description: 'The name of the organisation, as on invoices.' }),
  tradingName,
  country: z.enum(countries as [string, ...string[]], 'must be a country such as GB'),
  currency: z.enum(billedCurrencies as [string, ...string[]], 'must be a billed currency such as GBP').meta({
    description: 'The billing currency, which cannot be changed later.',
  }),
  email: enteredMailAddress,
});
/** Its reply, 202: the same whether or not anybody has that address. */
export const signUpReply = z.object({ message: z.string() });
export type SignUpReply = z.infer<typeof signUpReply>;
