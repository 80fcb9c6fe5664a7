/** The memory as the kernel reads it, in bytes: `src/audience-index/memory/layout.ts` says the same in words, and a test compares them. */

export const CHILDREN: u32 = 16;
export const GENDERS: u32 = 8;

// A superblock.
export const COLUMNS: usize = 8;
export const TAKEN: usize = 64;
export const BLOCK_BOXES: usize = 192;
export const LATITUDES: usize = 448;
export const LONGITUDES: usize = 4544;

// A column block.
export const KNOWN: usize = 8;
export const DIRECTORY: usize = 16;
export const DENSE: u32 = 3;
/** A bitmap over a superblock's slots. */
export const BITMAP: usize = 128;

// A node.
export const LEVEL: usize = 0;
export const CHILD_COUNT: usize = 8;
export const COUNTERS: usize = 12;
export const COUNTED_INTERESTS: usize = 16;
export const CHILD_BOXES: usize = 64;
export const ADDRESSES: usize = 320;
export const CHILD_GENDERS: usize = 512;
export const FIRST_INTEREST: u32 = 32;

// Sixteen boxes: rows of 64 bytes.
export const HIGH_LATITUDE: usize = 64;
export const LOW_LONGITUDE: usize = 128;
export const HIGH_LONGITUDE: usize = 192;

// What a count is asked for ...
export const GENDER_COUNT: usize = 80;
export const INTEREST_COUNT: usize = 84;
export const GENDER_LIST: usize = 96;
export const INTEREST_LIST: usize = 128;
// ... the circle (`circle.ts` writes it) ...
export const LATITUDE: usize = 4;
export const LONGITUDE: usize = 8;
export const LATITUDE_REST: usize = 12;
export const LONGITUDE_REST: usize = 16;
export const RADIUS: usize = 20;
export const COSINE: usize = 24;
export const MIN_COSINE: usize = 28;
export const SINE: usize = 32;
export const NORTHERN: usize = 36;
export const WRAPS: usize = 40;
export const BEYOND: usize = 44;
export const SURELY_INSIDE: usize = 48;
export const SURELY_OUTSIDE: usize = 52;
export const NEAR_LATITUDE: usize = 56;
export const NEAR_LONGITUDE: usize = 60;
export const SHRINK: usize = 64;
export const SHRINK_BY_LATITUDE: usize = 68;
export const MEMBER_INSIDE: usize = 72;
export const MEMBER_OUTSIDE: usize = 76;
// ... and what the kernel uses: columns found, bitmaps (16 bytes longer, for the places of lists without a slot), nodes to visit.
export const FOUND_GENDERS: usize = 2624;
export const FOUND_INTERESTS: usize = 4032;
export const GENDER_BITMAP: usize = 2176;
export const INTEREST_BITMAP: usize = 2320;
export const MASK: usize = 2496;
/** Places for 336 nodes: 15 a level, and no tree of 4 GiB has more than a dozen levels. */
export const STACK: usize = 2688;
/** The address of the tree's root, in words. */
export const ROOT: usize = 16388;
