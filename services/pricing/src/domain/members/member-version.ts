/** Orders the changes of a member, in whatever order they arrive (ADR 6). */

/** A number from the sender, or `{ atLeast }`: this change is newer than the stored one and gets a version above it. */
export type Version = number | { readonly atLeast: number };

/**
 * @param stored undefined if nothing is stored about the member
 * @returns the version to store; null if the change is not newer than the stored one and must not be applied
 */
export function newerVersion(stored: number | undefined, version: Version): number | null {
  if (typeof version !== 'number') return Math.max(version.atLeast, (stored ?? -1) + 1);
  return stored === undefined || version > stored ? version : null;
}
