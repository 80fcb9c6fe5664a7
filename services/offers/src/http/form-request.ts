/** What POST /offers and PATCH /offers/{offer_id} read of a request alike, with its refusals in the order of decision 9, order of checks. */
import { readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import { isIdempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { type Refused, refused } from '@offer-ads/contracts/values/refused';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import type { Request } from 'express';
import { GREATEST_PICTURE_FRAMES, namedMode, type PictureFacts } from '../domain/creation/offer-form.ts';
import type { FormFields } from '../domain/readings.ts';
import { readUpload, type UploadedForm } from './multipart.ts';
import type { FormRefusal } from './replies.ts';

type Faults = { readonly ok: false; readonly faults: readonly string[] };

/**
 * @param key the Idempotency-Key; null: none was sent
 * @param readFields the rules of the fields, with the pictures by their file names
 */
export async function readFormRequest<Read extends { readonly ok: true }>(
  req: Request,
  key: string | null,
  readFields: (fields: FormFields, pictures: ReadonlyMap<string, PictureFacts>) => Read | Faults,
  isOfGroup = false,
): Promise<{ readonly ok: true; readonly read: Read; readonly upload: UploadedForm } | Refused<FormRefusal>> {
  // The body is read before any refusal is sent, because many clients read the response only after sending the body.
  const upload = await readUpload(req, isOfGroup);
  if (key !== null && !isIdempotencyKey(key)) return refused({ reason: 'key-malformed' });
  if (!upload.ok) return refused({ reason: 'broken-form', status: upload.status, faults: upload.faults });
  const { fields, pictures } = upload.form;
  const mode = namedMode(fields);
  const { mode: keyMode } = callerOf(req);
  if (mode !== null && mode !== keyMode) return refused({ reason: 'other-mode', keyMode });
  const headers = [...pictures].map(
    ([name, bytes]) => [name, readPictureHeader(bytes, GREATEST_PICTURE_FRAMES)] as const,
  );
  const read = readFields(fields, new Map(headers));
  if (!read.ok) return refused({ reason: 'invalid-input', faults: read.faults });
  return { ok: true, read, upload: upload.form };
}
