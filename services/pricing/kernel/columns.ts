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

/** Writes the slots that match to `MASK`. @returns how many they are */
export function select(superblock: usize): u32 {
  const columns = <usize>load<u32>(superblock, COLUMNS) << 2;
  const genders = load<u32>(GENDER_COUNT);
  const interests = load<u32>(INTEREST_COUNT);
  let foundGenders: u32 = 0;
  let foundInterests: u32 = 0;
  if (genders > 0) {
    foundGenders = find(columns, GENDER_LIST, genders, FOUND_GENDERS, GENDER_BITMAP);
    if (foundGenders == 0) return none();
  }
  if (interests > 0) {
    foundInterests = find(columns, INTEREST_LIST, interests, FOUND_INTERESTS, INTEREST_BITMAP);
    if (foundInterests == 0) return none();
  }
  let counted = i8x16.splat(0);
  for (let part: usize = 0; part < BITMAP; part += 16) {
    let slots: v128;
    if (foundInterests > 0) {
      slots = join(FOUND_INTERESTS, foundInterests, part);
      if (foundGenders > 0) slots = v128.and(slots, join(FOUND_GENDERS, foundGenders, part));
    } else if (foundGenders > 0) {
      slots = join(FOUND_GENDERS, foundGenders, part);
    } else {
      slots = v128.load(superblock + part, TAKEN);
    }
    v128.store(MASK + part, slots);
    // Eight times eight bits at most: no overflow.
    counted = i8x16.add(counted, i8x16.popcnt(slots));
  }
  const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(counted));
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

function none(): u32 {
  memory.fill(MASK, 0, BITMAP);
  return 0;
}

// @ts-ignore: decorator
@inline
function join(found: usize, count: u32, part: usize): v128 {
  let slots = v128.load(<usize>load<u32>(found) + part);
  for (let each: u32 = 1; each < count; each++) {
    slots = v128.or(slots, v128.load(<usize>load<u32>(found + (each << 2)) + part));
  }
  return slots;
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
