/** The command cannot be done as it was written; its message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
