/** Which members of a block on the edge are inside. */
import {
  BLOCK_BOXES,
  HIGH_LATITUDE,
  HIGH_LONGITUDE,
  LATITUDE,
  LATITUDE_REST,
  LATITUDES,
  LONGITUDE,
  LONGITUDE_REST,
  LONGITUDES,
  LOW_LONGITUDE,
  MEMBER_INSIDE,
  MEMBER_OUTSIDE,
  NEAR_LATITUDE,
  NEAR_LONGITUDE,
  SHRINK,
  SHRINK_BY_LATITUDE,
} from './layout';

/** The rule itself, in double precision (`src/domain/great-circle.ts`). */
// @ts-ignore: decorator
@external("rule", "isWithin")
declare function isWithin(latitude: i32, longitude: i32): bool;

/** @param wanted the slots that match otherwise */
export function countInBlock(superblock: usize, block: u32, wanted: u64): u32 {
  const box = superblock + BLOCK_BOXES + (block << 2);
  const south = load<i32>(box) - load<i32>(LATITUDE);
  const north = load<i32>(box, HIGH_LATITUDE) - load<i32>(LATITUDE);
  let west = load<i32>(box, LOW_LONGITUDE) - load<i32>(LONGITUDE);
  let east = load<i32>(box, HIGH_LONGITUDE) - load<i32>(LONGITUDE);
  // The other side of the dateline is brought to this one.
  let longitude = load<i32>(LONGITUDE);
  if (west > 180_000_000) {
    longitude += 360_000_000;
    west -= 360_000_000;
    east -= 360_000_000;
  } else if (east < -180_000_000) {
    longitude -= 360_000_000;
    west += 360_000_000;
    east += 360_000_000;
  }
  const nearLatitude = load<i32>(NEAR_LATITUDE);
  const nearLongitude = load<i32>(NEAR_LONGITUDE);
  const latitudes = superblock + LATITUDES + (block << 8);
  const longitudes = superblock + LONGITUDES + (block << 8);
  if (-south > nearLatitude || north > nearLatitude || -west > nearLongitude || east > nearLongitude) {
    return countExactly(latitudes, longitudes, wanted);
  }
  return countNear(latitudes, longitudes, longitude, wanted);
}

/**
 * The squared chord in single precision, of members who are near the centre and far from the poles, in microdegrees:
 * x² + cos c (cos c - x sin c) y². What that leaves out, and the error of single precision, is in the two limits (the ADR adds
 * it up); the few members in between are asked about one by one.
 */
function countNear(latitudes: usize, longitudes: usize, longitude: i32, wanted: u64): u32 {
  let certain: u64 = 0;
  let doubt = i32x4.splat(0);
  for (let part: usize = 0; part < 256; part += 64) {
    if (((wanted >> (part >> 2)) & 0xffff) == 0) continue;
    const a = chords(latitudes + part, longitudes + part, longitude);
    const b = chords(latitudes + part + 16, longitudes + part + 16, longitude);
    const c = chords(latitudes + part + 32, longitudes + part + 32, longitude);
    const d = chords(latitudes + part + 48, longitudes + part + 48, longitude);
    const bits = i8x16.bitmask(
      i8x16.narrow_i16x8_s(
        i16x8.narrow_i32x4_s(isInside(a), isInside(b)),
        i16x8.narrow_i32x4_s(isInside(c), isInside(d)),
      ),
    );
    certain |= (<u64>(<u32>bits)) << (part >> 2);
    doubt = v128.or(doubt, v128.or(isDoubtful(a), isDoubtful(b)));
    doubt = v128.or(doubt, v128.or(isDoubtful(c), isDoubtful(d)));
  }
  certain &= wanted;
  let count = <u32>popcnt(certain);
  if (v128.any_true(doubt)) {
    count += countExactly(latitudes, longitudes, doubtful(latitudes, longitudes, longitude) & wanted);
  }
  return count;
}

// @ts-ignore: decorator
@inline
function chords(latitudes: usize, longitudes: usize, longitude: i32): v128 {
  const x = distances(latitudes, load<i32>(LATITUDE), LATITUDE_REST);
  const y = distances(longitudes, longitude, LONGITUDE_REST);
  const shrink = f32x4.add(v128.load32_splat(SHRINK), f32x4.mul(x, v128.load32_splat(SHRINK_BY_LATITUDE)));
  return f32x4.add(f32x4.mul(x, x), f32x4.mul(shrink, f32x4.mul(y, y)));
}

/** From the centre: whole microdegrees are exact, and what the centre has beyond them is small. */
// @ts-ignore: decorator
@inline
function distances(places: usize, centre: i32, rest: usize): v128 {
  const whole = i32x4.sub(v128.load(places), i32x4.splat(centre));
  return f32x4.sub(f32x4.convert_i32x4_s(whole), v128.load32_splat(rest));
}

// @ts-ignore: decorator
@inline
function isInside(chords: v128): v128 {
  return f32x4.lt(chords, v128.load32_splat(MEMBER_INSIDE));
}

// @ts-ignore: decorator
@inline
function isDoubtful(chords: v128): v128 {
  return v128.andnot(f32x4.lt(chords, v128.load32_splat(MEMBER_OUTSIDE)), isInside(chords));
}

/** Who lies between the limits. */
function doubtful(latitudes: usize, longitudes: usize, longitude: i32): u64 {
  let bits: u64 = 0;
  for (let quad: usize = 0; quad < 256; quad += 16) {
    const four = isDoubtful(chords(latitudes + quad, longitudes + quad, longitude));
    bits |= (<u64>(<u32>i32x4.bitmask(four))) << (quad >> 2);
  }
  return bits;
}

function countExactly(latitudes: usize, longitudes: usize, wanted: u64): u32 {
  let count: u32 = 0;
  for (let rest = wanted; rest != 0; rest &= rest - 1) {
    const slot = <usize>ctz(rest) << 2;
    if (isWithin(load<i32>(latitudes + slot), load<i32>(longitudes + slot))) count++;
  }
  return count;
}
