/**
 * The memory layout of the index. Addresses and offsets are in words of four bytes, so that 30 bits address 4 GiB. The kernel's source
 * (`kernel/layout.ts`) has the same layout in bytes. The README has a drawing.
 */

/** Slots of a superblock, one per member, grouped into blocks with their own bounding boxes. */
export const SLOTS = 1024;
export const BLOCKS = 16;
export const SLOTS_OF_BLOCK = 64;
/** Words of a bitmap over a superblock's slots. */
export const BITMAP = SLOTS / 32;

/** Four rows of 16: lowest and highest latitude, lowest and highest longitude, in microdegrees. */
export const BOXES = 4 * BLOCKS;
export const [LOW_LATITUDE, HIGH_LATITUDE, LOW_LONGITUDE, HIGH_LONGITUDE] = [0, 16, 32, 48] as const;
/** The box of an empty block: joined with another box, it changes nothing. */
export const NOWHERE_LOW = 2 ** 30;
export const NOWHERE_HIGH = -(2 ** 30);

export const superblock = {
  /** Its number; the id map refers to it. */
  number: 0,
  /** The parent node. */
  parent: 1,
  /** The address of its column block. */
  columns: 2,
  members: 3,
  /** Its index among the parent's children. */
  place: 5,
  /** Bitmap of the used slots. */
  taken: 16,
  /** The boxes of its 16 blocks. */
  boxes: 48,
  latitudes: 112,
  longitudes: 112 + SLOTS,
  /** The lower 32 bits of the member ids; the upper bits are columns. */
  ids: 112 + 2 * SLOTS,
  words: 112 + 3 * SLOTS,
} as const;

/** The columns of a superblock: a directory with 16 bits per column, then the columns' content, in units of 16 bytes. */
export const columnBlock = {
  /** Capacity and used size in units, including head and directory. */
  capacity: 0,
  used: 1,
  /** The number of columns in the directory. */
  known: 2,
  directory: 4,
} as const;
export const UNIT = 4;
/** A directory entry is `unit << 2 | form`; 0 if no bit of the column was ever set. */
export const DENSE = 3;
export const DENSE_UNITS = BITMAP / UNIT;
/** Forms 0 to 2 are lists of 8, 16 or 32 slots with 16 bits each; unused places contain `NO_SLOT`. */
export const LISTED = (form: number): number => 8 << form;
export const NO_SLOT = 1024;

/** Columns: eight genders, the upper 21 bits of ids, then the interests. */
export const GENDERS = 8;
export const ID_BIT_COLUMN = 11;
export const ID_BITS = 21;
export const INTEREST_COLUMN = 32;
export const INTERESTS = 512;
export const COLUMNS = INTEREST_COLUMN + INTERESTS;

/** A node of the tree: up to 16 children, which are superblocks or nodes one level below. */
export const CHILDREN = 16;
export const node = {
  /** 1: its children are superblocks. */
  level: 0,
  parent: 1,
  children: 2,
  /** Address and capacity (in interests) of its counters: members by gender for each interest. */
  counters: 3,
  countedInterests: 4,
  /** The node's own index among its parent's children. */
  place: 5,
  /** The boxes of its children. */
  boxes: 16,
  addresses: 80,
  /** Where on the Hilbert curve each child begins; doubles. */
  keys: 96,
  /** Members of each child: a row of 16 per gender. */
  genders: 128,
  words: 256,
} as const;

/** What a count is asked for, and the kernel's working memory; never saved. */
export const SCRATCH_WORDS = 4096;
/** The columns of the genders and interests wanted, without duplicates; none of a kind: no filter of this kind. */
export const asked = { genderCount: 20, interestCount: 21, genders: 24, interests: 32 } as const;
/** After it, the state of the index itself. */
export const state = {
  /** The first word that was never allocated. */
  end: SCRATCH_WORDS,
  root: SCRATCH_WORDS + 1,
  members: SCRATCH_WORDS + 2,
  /** The address of the id map's directory. */
  idMap: SCRATCH_WORDS + 3,
  /** Free lists by size class: the first free block, which contains the address of the next. */
  free: SCRATCH_WORDS + 16,
  words: 256,
} as const;
