/**
 * The internal admin routes: what the platform team's tool and console ask of the services that own things, under `/admin`, each with the
 * service's own credential. A refusal is a 4xx with `{message}`. Their shapes are in `admin-<service>-api.ts`.
 */

import { z } from 'zod';
import { line } from '../portal/organisation-api.ts';

/** Why somebody did it, for the audit log of the service; the admin tool has no option for it. */
export const reason = line(500).optional();
/** POST /admin/organisations/{id}/disable, /enable, /approve and /withdraw-approval, POST /admin/offers/{id}/disable and /enable */
export const switchRequest = z.object({ reason });
