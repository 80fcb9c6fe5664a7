/** The bounds of webhooks (decisions 226, secrets of webhooks, and 227, bounds of webhooks). */
export const webhookLimits = {
  /** For an organisation and mode. */
  endpoints: 10,
  urlLength: 2_048,
  descriptionLength: 200,
  /** In one call of resend. */
  resentAtOnce: 1_000,
  /** An attempt without an answer by then has failed. */
  answerSeconds: 10,
  /** A secret also signs for this long after a newer one replaced it. */
  overlapHours: 24,
} as const;
