/** The gateway's own replies on the public API (decision 19, bodies of refusals). */

import type { ServerResponse } from 'node:http';
import type { Refusal } from '@offer-ads/contracts/public/api';
import { sendJson } from '@offer-ads/platform/http/replies';
import type { AdmissionRefusal } from '../domain/limits/admission.ts';
import { noteReturnCode } from './proxy/record-calls.ts';

type Reply = { readonly status: number; readonly body: { readonly message: string } | Refusal };

/** LIVE mode, in the portal and for keys, of an organisation that waits for approval. */
export const notApprovedMessage =
  'Your organisation is not approved for LIVE mode yet. Use TEST mode until the platform team has approved it.';

export const admissionReplies = {
  // Specification, Authentication item 8: the same words for every reason, so that the answer does not show which keys exist.
  unauthorised: { status: 401, body: { message: 'Unauthorised' } },
  // Item 7.
  'key-without-mode': {
    status: 401,
    body: {
      return_code: 'E1',
      status: 'Error',
      code: 401,
      message:
        'This API key has no recorded mode. Create a new key under Manage API Keys and use it instead.',
    },
  },
  // 401 as for a key without a mode: every endpoint may answer it, and a retry does not help.
  'not-approved': {
    status: 401,
    body: { return_code: 'E1', status: 'Error', code: 401, message: notApprovedMessage },
  },
} satisfies Record<AdmissionRefusal, Reply>;

export function refuseAdmission(res: ServerResponse, reason: AdmissionRefusal): void {
  const { status, body }: Reply = admissionReplies[reason];
  if ('return_code' in body) noteReturnCode(res, body.return_code);
  sendJson(res, status, body);
}
