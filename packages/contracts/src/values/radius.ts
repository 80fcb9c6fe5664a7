/** The radius in which an offer is shown: 5 to 30 whole miles ("Limits" of the specification). */
import { z } from 'zod';

const leastMiles = 5;
const mostMiles = 30;

export const radiusMiles = z.int().min(leastMiles).max(mostMiles);
/** The end of a refusal that begins with the name of the field. */
export const radiusRule = `must be a whole number of miles from ${leastMiles} to ${mostMiles}`;
