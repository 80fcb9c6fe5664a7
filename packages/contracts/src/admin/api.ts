/**
 * The internal admin routes under `/admin` of each service, for the platform team's tool and console. Each service has its own
 * credentials. A refusal is a 4xx with `{message}`. The shapes are in `<service>-api.ts` beside this file.
 */

import { z } from 'zod';
import { line } from '../portal/organisation-api.ts';

/** The reason for a change, for the audit log of the service. The admin tool has no option for it. */
export const reason = line(500).optional();
/** In a query. */
export const trueOrFalse = z.enum(['true', 'false']).transform((word) => word === 'true');
/** POST /admin/organisations/{id}/disable, /enable and /approve, POST /admin/offers/{id}/enable */
export const switchRequest = z.object({ reason });
