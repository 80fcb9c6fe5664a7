/**
 * Where everything lies in the index's memory. Addresses and offsets are in words of four bytes, so that 4 GiB are
 * addressed with 30 bits; the kernel's source (`kernel/layout.ts`) says the same in bytes. The README draws it.
 */

/** Slots of a superblock, each for one member, in blocks that have a bounding box of their own. */
export const SLOTS = 1024;
export const BLOCKS = 16;
export const SLOTS_OF_BLOCK = 64;
/** Words of a bitmap over the slots of a superblock. */
export const BITMAP = SLOTS / 32;

/** Four rows of 16: lowest and highest latitude, lowest and highest longitude, in microdegrees. */
export const BOXES = 4 * BLOCKS;
export const [LOW_LATITUDE, HIGH_LATITUDE, LOW_LONGITUDE, HIGH_LONGITUDE] = [0, 16, 32, 48] as const;
/** The box around nobody: any box joined with it stays as it is. */
export const NOWHERE_LOW = 2 ** 30;
export const NOWHERE_HIGH = -(2 ** 30);

export const superblock = {
  /** Its number, by which the id map refers to it. */
  number: 0,
  /** The node above. */
  parent: 1,
  /** Address of its column block. */
  columns: 2,
  members: 3,
  /** Which child of the node above it is. */
  place: 5,
  /** Bitmap of the slots that are taken: the column "anybody". */
  taken: 16,
  /** Of its 16 blocks. */
  boxes: 48,
  latitudes: 112,
  longitudes: 112 + SLOTS,
  /** The lower 32 bits of the member ids; the upper ones are columns. */
  ids: 112 + 2 * SLOTS,
  words: 112 + 3 * SLOTS,
} as const;

/** The columns of a superblock: a directory with 16 bits for each, then what is in them, in units of 16 bytes. */
export const columnBlock = {
  /** Units that it holds, and that are used, each with head and directory. */
  capacity: 0,
  used: 1,
  /** How many columns the directory knows. */
  known: 2,
  directory: 4,
} as const;
export const UNIT = 4;
/** A directory entry is `unit << 2 | form`, or 0 where no bit of the column was ever set. */
export const DENSE = 3;
export const DENSE_UNITS = BITMAP / UNIT;
/** Forms 0 to 2 are lists of 8, 16 or 32 slots of 16 bits; places without a slot hold `NO_SLOT`. */
export const LISTED = (form: number): number => 8 << form;
export const NO_SLOT = 1024;

/** Columns: eight genders, the upper 21 bits of ids, then the interests. */
export const GENDERS = 8;
export const ID_BIT_COLUMN = 11;
export const ID_BITS = 21;
export const INTEREST_COLUMN = 32;
export const INTERESTS = 512;
export const COLUMNS = INTEREST_COLUMN + INTERESTS;

/** A node of the tree: up to 16 superblocks, or nodes one level below. */
export const CHILDREN = 16;
export const node = {
  /** 1: its children are superblocks. */
  level: 0,
  parent: 1,
  children: 2,
  /** Address and capacity (in interests) of its counters: of each interest, members by gender. */
  counters: 3,
  countedInterests: 4,
  /** Of the node itself in the one above. */
  place: 5,
  /** Of its children. */
  boxes: 16,
  addresses: 80,
  /** Where on the Hilbert curve each child begins; doubles. */
  keys: 96,
  /** Members of each child: a row of 16 for each gender. */
  genders: 128,
  words: 256,
} as const;

/** What a query is told and uses; saved with nothing. */
export const SCRATCH_WORDS = 4096;
/** Behind it what the index knows of itself. */
export const state = {
  /** First word that was never allocated. */
  end: SCRATCH_WORDS,
  root: SCRATCH_WORDS + 1,
  members: SCRATCH_WORDS + 2,
  /** Address of the id map's directory. */
  idMap: SCRATCH_WORDS + 3,
  /** By class of size: the first free piece of memory, which names the next one. */
  free: SCRATCH_WORDS + 16,
  words: 256,
} as const;
