/** Which slots of a superblock satisfy gender and interests: columns joined by OR, both joined by AND. */
import {
  BITMAP,
  COLUMNS,
  DENSE,
  DIRECTORY,
  FOUND_GENDERS,
  FOUND_INTERESTS,
  GENDER_BITMAP,
  GENDER_COUNT,
  GENDER_LIST,
  INTEREST_BITMAP,
  INTEREST_COUNT,
  INTEREST_LIST,
  KNOWN,
  MASK,
  TAKEN,
} from './layout';

/** How many of a superblock's members have any of the interests wanted, and any of the genders. */
export function countSelected(superblock: usize): u32 {
  return select(superblock, false);
}

/** @returns the address of a bitmap of those who match; 0 where nobody does */
export function selectSlots(superblock: usize): usize {
  if (load<u32>(INTEREST_COUNT) > 0) return select(superblock, true) > 0 ? MASK : 0;
  if (load<u32>(GENDER_COUNT) == 0) return superblock + TAKEN;
  return join(<usize>load<u32>(superblock, COLUMNS) << 2, GENDER_LIST, GENDER_COUNT, FOUND_GENDERS, GENDER_BITMAP);
}

/**
 * There must be interests to select by. Eight registers hold the whole bitmap.
 * @param keep whether the bitmap is wanted in `MASK`
 */
// @ts-ignore: decorator
@inline
function select(superblock: usize, keep: bool): u32 {
  const columns = <usize>load<u32>(superblock, COLUMNS) << 2;
  const found = find(columns, INTEREST_LIST, load<u32>(INTEREST_COUNT), FOUND_INTERESTS, INTEREST_BITMAP);
  if (found == 0) return 0;
  const first = <usize>load<u32>(FOUND_INTERESTS);
  let a = v128.load(first);
  let b = v128.load(first, 16);
  let c = v128.load(first, 32);
  let d = v128.load(first, 48);
  let e = v128.load(first, 64);
  let f = v128.load(first, 80);
  let g = v128.load(first, 96);
  let h = v128.load(first, 112);
  for (let each: usize = 4; each < <usize>found << 2; each += 4) {
    const next = <usize>load<u32>(FOUND_INTERESTS + each);
    a = v128.or(a, v128.load(next));
    b = v128.or(b, v128.load(next, 16));
    c = v128.or(c, v128.load(next, 32));
    d = v128.or(d, v128.load(next, 48));
    e = v128.or(e, v128.load(next, 64));
    f = v128.or(f, v128.load(next, 80));
    g = v128.or(g, v128.load(next, 96));
    h = v128.or(h, v128.load(next, 112));
  }
  if (load<u32>(GENDER_COUNT) > 0) {
    const genders = join(columns, GENDER_LIST, GENDER_COUNT, FOUND_GENDERS, GENDER_BITMAP);
    if (genders == 0) return 0;
    a = v128.and(a, v128.load(genders));
    b = v128.and(b, v128.load(genders, 16));
    c = v128.and(c, v128.load(genders, 32));
    d = v128.and(d, v128.load(genders, 48));
    e = v128.and(e, v128.load(genders, 64));
    f = v128.and(f, v128.load(genders, 80));
    g = v128.and(g, v128.load(genders, 96));
    h = v128.and(h, v128.load(genders, 112));
  }
  if (keep) {
    v128.store(MASK, a);
    v128.store(MASK, b, 16);
    v128.store(MASK, c, 32);
    v128.store(MASK, d, 48);
    v128.store(MASK, e, 64);
    v128.store(MASK, f, 80);
    v128.store(MASK, g, 96);
    v128.store(MASK, h, 112);
    return 1;
  }
  // Eight times eight bits at most: no overflow.
  const bytes = i8x16.add(
    i8x16.add(i8x16.add(i8x16.popcnt(a), i8x16.popcnt(b)), i8x16.add(i8x16.popcnt(c), i8x16.popcnt(d))),
    i8x16.add(i8x16.add(i8x16.popcnt(e), i8x16.popcnt(f)), i8x16.add(i8x16.popcnt(g), i8x16.popcnt(h))),
  );
  const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes));
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

/** @returns the address of a bitmap of everybody in some columns; 0 where they are empty */
function join(columns: usize, list: usize, count: usize, found: usize, bitmap: usize): usize {
  const bitmaps = find(columns, list, load<u32>(count), found, bitmap);
  if (bitmaps == 0) return 0;
  const first = <usize>load<u32>(found);
  if (bitmaps == 1) return first;
  for (let part: usize = 0; part < BITMAP; part += 16) {
    let slots = v128.load(first + part);
    for (let each: u32 = 1; each < bitmaps; each++) {
      slots = v128.or(slots, v128.load(<usize>load<u32>(found + (each << 2)) + part));
    }
    v128.store(bitmap + part, slots);
  }
  return bitmap;
}

/** Addresses of the bitmaps among some columns; those that are lists are drawn into one more bitmap. @returns how many */
function find(columns: usize, list: usize, count: u32, found: usize, bitmap: usize): u32 {
  const known = load<u32>(columns, KNOWN);
  let bitmaps: u32 = 0;
  let drawn = false;
  for (let each: u32 = 0; each < count; each++) {
    const column = load<u32>(list + (each << 2));
    if (column >= known) continue;
    const entry = <u32>load<u16>(columns + (column << 1), DIRECTORY);
    if (entry == 0) continue;
    const data = columns + ((<usize>entry >> 2) << 4);
    if ((entry & 3) == DENSE) {
      store<u32>(found + (bitmaps << 2), <u32>data);
      bitmaps++;
      continue;
    }
    if (!drawn) {
      memory.fill(bitmap, 0, BITMAP + 16);
      drawn = true;
    }
    const places: u32 = 8 << (entry & 3);
    for (let place: u32 = 0; place < places; place++) {
      const slot = <u32>load<u16>(data + (place << 1));
      const byte = bitmap + (slot >> 3);
      store<u8>(byte, load<u8>(byte) | (<u8>1 << <u8>(slot & 7)));
    }
  }
  if (drawn) {
    store<u32>(found + (bitmaps << 2), <u32>bitmap);
    bitmaps++;
  }
  return bitmaps;
}
