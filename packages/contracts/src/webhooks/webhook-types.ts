/** What webhooks say to advertisers. The names are those of the public API. They hold nothing about members and about people. */
import { z } from 'zod';
import { currency, instant, minorUnits, mode } from '../values/primitives.ts';

const amount = minorUnits.meta({
  description: 'Pence, cents and the like, as decimal digits: `"1250"` is 12.50.',
  examples: ['1250'],
});

const environment = mode.meta({ description: 'The mode in which it happened.' });
const offerId = z.int().meta({ examples: [4711] });
const title = z.string().meta({ examples: ['Two for one'] });
const billed = currency.meta({ examples: ['GBP'] });
const offer = z.object({
  environment,
  offer_id: offerId,
  title,
  start_datetime: instant.meta({ examples: ['2035-06-01T12:00:00.000Z'] }),
  expiry_datetime: instant.meta({ examples: ['2035-06-03T12:00:00.000Z'] }),
});
const paymentMethod = z
  .enum(['E', 'B'])
  .meta({ description: '`E` payment link by card, `B` prepaid balance.' });
const paid = z.boolean().meta({ description: 'False: it was never paid, so there is nothing to credit.' });
const balance = z.object({
  environment,
  currency: billed,
  balance_minor: amount.meta({ description: 'The balance after it, in minor units.' }),
});

/** The data of each type of message. A release may add fields and types; receivers ignore what they do not know. */
export const webhookData = {
  'offer.created': offer.extend({ payment_method: paymentMethod, paid: z.boolean() }),
  'offer.updated': offer.extend({
    changed_fields: z.array(z.string()).meta({
      description:
        'Which fields have changed: `category_id`, `title`, `description`, and so on. More may be added.',
      examples: [['title', 'image']],
    }),
  }),
  'offer.paid': offer.extend({
    payment_method: paymentMethod,
    currency: billed,
    net_minor: amount,
    vat_minor: amount,
    outcome: z.enum(['active', 'scheduled', 'ended', 'deleted']).meta({
      description:
        'What the payment led to. A payment that came after the end or the deletion is credited to the balance.',
    }),
  }),
  'offer.activated': offer,
  'offer.paused': offer,
  'offer.resumed': offer,
  'offer.disabled': offer.extend({
    reason: z.string().meta({
      description: 'Why, in words of the platform.',
      examples: ['The page does not sell what the offer says.'],
    }),
  }),
  'offer.enabled': offer,
  'offer.ended': offer.extend({ paid }),
  'offer.deleted': offer.extend({ paid }),
  'balance.credited': balance.extend({ amount_minor: amount, offer_id: offerId, title }),
  'balance.topped_up': balance.extend({
    amount_minor: amount.meta({ description: 'What the balance received, without VAT, in minor units.' }),
    vat_minor: amount,
    method: z
      .enum(['card', 'platform'])
      .meta({ description: 'Paid by card, or added by the platform team.' }),
  }),
  'balance.low': balance.extend({
    threshold_minor: amount.meta({ description: 'The threshold that was set, in minor units.' }),
  }),
  'webhook.test': z.object({
    environment,
    webhook_id: z.string().meta({ examples: ['we_oqQ3SnVYgZ0HVhm1WcgS'] }),
  }),
} as const satisfies Record<string, z.ZodObject>;

export type WebhookType = keyof typeof webhookData;
export type WebhookData<Type extends WebhookType> = z.infer<(typeof webhookData)[Type]>;

const meanings: Record<WebhookType, string> = {
  'offer.created': 'An offer was created. Members see it only while it is active.',
  'offer.updated': 'Somebody of the organisation changed what members see of the offer.',
  'offer.paid': 'The payment of an offer has been applied to it.',
  'offer.activated': 'A paid offer reached its start, and members see it.',
  'offer.paused': 'Somebody of the organisation paused the offer.',
  'offer.resumed': 'Somebody of the organisation resumed the offer.',
  'offer.disabled': 'The platform disabled the offer: members do not see it.',
  'offer.enabled': 'The platform enabled the offer again.',
  'offer.ended': 'The expiry of the offer has passed.',
  'offer.deleted': 'Somebody of the organisation deleted the offer.',
  'balance.credited': 'Unused Time of an offer was credited to the balance, net of VAT.',
  'balance.topped_up': 'Money was added to the balance.',
  'balance.low': 'The balance fell below the threshold that the organisation set.',
  'webhook.test': 'Somebody of the organisation asked for a test message.',
};

/** The body of a webhook, as the specification "Standard Webhooks" shapes it. */
export function webhookBody<Type extends WebhookType>(type: Type) {
  return z
    .object({
      type: z.literal(type),
      timestamp: instant.meta({
        description: 'When it happened. Messages may come in another order.',
        examples: ['2035-06-01T12:00:00.000Z'],
      }),
      data: webhookData[type],
    })
    .meta({ description: meanings[type] });
}

export const webhookTypes = Object.keys(webhookData) as readonly WebhookType[];

/** The types that an endpoint can be limited to. Test messages are sent on request alone. */
export type EventType = Exclude<WebhookType, 'webhook.test'>;
export const eventTypes = webhookTypes.filter((type): type is EventType => type !== 'webhook.test');
