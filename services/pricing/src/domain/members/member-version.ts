/** The order of what is heard of one member, whatever order it comes in (ADR 6). */

/** A number of the sender's, or `{ atLeast }`: this change is newer than whatever is stored and takes a version above it. */
export type Version = number | { readonly atLeast: number };

/**
 * @param stored undefined when nothing was ever heard of the member
 * @returns the version to store; null when the change is no newer than what is stored, and so changes nothing
 */
export function newerVersion(stored: number | undefined, version: Version): number | null {
  if (typeof version !== 'number') return Math.max(version.atLeast, (stored ?? -1) + 1);
  return stored === undefined || version > stored ? version : null;
}
