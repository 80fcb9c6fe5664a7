import { idempotencyKeyRule, isIdempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Request } from 'express';

/** The idempotency key of a request that asks for money (decision 10, idempotency keys). Throws a 400 whose message names the problem. */
export function idempotencyKeyOf(req: Request): string {
  const key = req.get('Idempotency-Key') ?? '';
  const refuse = (publicMessage: string) => new Fault('idempotency key', { status: 400, publicMessage });
  if (key === '') throw refuse('The Idempotency-Key header is missing');
  if (!isIdempotencyKey(key)) throw refuse(`Idempotency-Key must be ${idempotencyKeyRule}`);
  return key;
}
