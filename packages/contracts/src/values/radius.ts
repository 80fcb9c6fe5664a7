/** The radius in which an offer is shown: 5 to 30 whole miles ("Limits" of the specification). */
import { z } from 'zod';

const minMiles = 5;
const maxMiles = 30;

export const radiusMiles = z.int().min(minMiles).max(maxMiles);
/** The end of a refusal that begins with the name of the field. */
export const radiusRule = `must be a whole number of miles from ${minMiles} to ${maxMiles}`;
