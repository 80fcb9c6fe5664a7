/** The radius in which an offer is shown, in whole miles. */
import { z } from 'zod';
import { offerLimits } from './offer-limits.ts';

const { least, most } = offerLimits.radius;

export const radiusMiles = z.int().min(least).max(most);
/** The end of a refusal that begins with the name of the field. */
export const radiusRule = `must be a whole number of miles from ${least} to ${most}`;
