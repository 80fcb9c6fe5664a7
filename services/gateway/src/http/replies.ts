/** The replies that the gateway itself gives on the public API (decision 19). */

import type { ServerResponse } from 'node:http';
import type { Refusal } from '@offer-ads/contracts/public-api';
import { sendJson } from '@offer-ads/platform/http-replies';
import type { AdmissionRefusal } from '../domain/admission.ts';
import { noteReturnCode } from './record-calls.ts';

type Reply = { readonly status: number; readonly body: { readonly message: string } | Refusal };

export const admissionReplies = {
  // Specification, Authentication item 8: the same words whatever the reason, so that nobody learns which keys exist.
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
} satisfies Record<AdmissionRefusal, Reply>;

export function refuseAdmission(res: ServerResponse, reason: AdmissionRefusal): void {
  const { status, body }: Reply = admissionReplies[reason];
  if ('return_code' in body) noteReturnCode(res, body.return_code);
  sendJson(res, status, body);
}
