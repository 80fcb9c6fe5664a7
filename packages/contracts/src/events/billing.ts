/** Events of billing: payments and balances. */
import { z } from 'zod';
import { placeLimits } from '../values/places.ts';
import {
  currency,
  groupId,
  instant,
  minorUnits,
  mode,
  offerId,
  organisationId,
} from '../values/primitives.ts';
import { declareEvent } from './event-declaration.ts';

const balanceReference = z.object({ organisationId, mode, currency, balanceMinor: minorUnits });

export const OfferPaid = declareEvent({
  name: 'OfferPaid',
  version: 1,
  owner: 'billing',
  consumers: ['offers'],
  schema: z.object({
    offerId,
    organisationId,
    mode,
    currency,
    netMinor: minorUnits,
    vatMinor: minorUnits,
    paidAt: instant,
    together: z
      .array(z.object({ offerId, netMinor: minorUnits, vatMinor: minorUnits }))
      .max(placeLimits.most)
      .optional()
      .meta({ description: 'Of an offer of a group: all that this payment is for, itself included.' }),
  }),
  meaning: 'The card payment of an offer was received.',
});

export const BalanceCredited = declareEvent({
  name: 'BalanceCredited',
  version: 1,
  owner: 'billing',
  consumers: ['notifier', 'offers'],
  schema: balanceReference.extend({
    offerId,
    title: z.string(),
    amountMinor: minorUnits,
    group: z
      .object({
        groupId,
        title: z.string(),
        amountMinor: minorUnits,
        balanceMinor: minorUnits,
        creditId: z.string().meta({ description: 'The same for all that were credited together.' }),
      })
      .optional()
      .meta({
        description: 'All offers of its group that were credited with it, and the balance after them.',
      }),
  }),
  meaning: 'Unused Time of an offer was credited to the balance of its mode, net of VAT.',
});

export const BalanceToppedUp = declareEvent({
  name: 'BalanceToppedUp',
  version: 1,
  owner: 'billing',
  consumers: ['notifier'],
  schema: balanceReference.extend({
    netMinor: minorUnits,
    vatMinor: minorUnits,
    method: z
      .enum(['card', 'platform'])
      .meta({ description: 'Paid by card, or added by the platform team.' }),
  }),
  meaning: 'Prepaid balance was added.',
});

export const BalanceLow = declareEvent({
  name: 'BalanceLow',
  version: 1,
  owner: 'billing',
  consumers: ['notifier'],
  schema: balanceReference.extend({ thresholdMinor: minorUnits }),
  meaning: 'A balance fell below the threshold that the organisation set.',
});
