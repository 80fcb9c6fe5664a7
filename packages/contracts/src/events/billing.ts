/** Events of billing: payments and balances. */
import { z } from 'zod';
import { currency, instant, minorUnits, mode, offerId, organisationId } from '../values/primitives.ts';
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
  }),
  meaning: 'The card payment of an offer was received.',
});

export const BalanceCredited = declareEvent({
  name: 'BalanceCredited',
  version: 1,
  owner: 'billing',
  consumers: ['notifier', 'offers'],
  schema: balanceReference.extend({ offerId, title: z.string(), amountMinor: minorUnits }),
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
