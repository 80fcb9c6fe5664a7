/** Replies of the API: an object, or a refusal in Stripe's error shape. */
export type Reply = {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
};

export type StripeError = {
  readonly type: 'invalid_request_error' | 'idempotency_error' | 'api_error' | 'card_error';
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
};

export function ok(body: object): Reply {
  return { status: 200, body };
}

export function refuse(status: number, error: StripeError): Reply {
  return { status, body: { error } };
}

export function invalid(message: string, details: { code?: string; param?: string } = {}): Reply {
  return refuse(400, { type: 'invalid_request_error', message, ...details });
}

export function notFound(kind: string, id: string, param: string): Reply {
  const message = `No such ${kind}: '${id}'`;
  return refuse(404, { type: 'invalid_request_error', code: 'resource_missing', message, param });
}

/** The reply while Stripe is unavailable. */
export const unavailable: Reply = refuse(503, {
  type: 'api_error',
  message: 'An unexpected error occurred while processing this request. Please try again later.',
});

export const internalError: Reply = refuse(500, {
  type: 'api_error',
  message: 'An error occurred internally with Stripe.',
});

export const declined: Reply = refuse(402, {
  type: 'card_error',
  message: 'Your card was declined.',
  code: 'card_declined',
});

export const tooMany: Reply = refuse(429, {
  type: 'invalid_request_error',
  code: 'rate_limit',
  message: 'Testmode request rate limit exceeded, please slow down your requests and try again later.',
});
