/**
 * The bounds of an offer and of the lists ("Limits" of the specification; decisions 18, image limits, and 48, fields of the form). Services,
 * documents and pages take them from here; the texts of the SDK and of the guides are compared with them by a test.
 */
export const offerLimits = {
  /** In characters, which are Unicode code points. Those of the texts: offer-texts.ts. */
  url: 2_048,
  imageMegabytes: 5,
  /** Miles, whole numbers. */
  radius: { least: 5, most: 30 },
  shortestSeconds: 60,
  /** A start may be so long ago, because people need a moment to press the button. */
  startGraceSeconds: 60,
} as const;

/** A megabyte is 1,024 × 1,024 bytes here. */
export const MAX_IMAGE_BYTES = offerLimits.imageMegabytes * 1_024 * 1_024;

/** The places that an organisation keeps, and the length of their names. */
export const savedPlaceLimits = { most: 200, nameAtMost: 80 } as const;

/** The number of entries on a page of a list. */
export const pageLimits = { standard: 20, most: 100 } as const;
