/** Which members of a block on the edge are inside. */
import {
  BLOCK_BOXES,
  COSINE,
  HIGH_LATITUDE,
  HIGH_LONGITUDE,
  LATITUDE,
  LATITUDE_REST,
  LATITUDES,
  LONGITUDE,
  LONGITUDE_REST,
  LONGITUDES,
  LOW_LONGITUDE,
  NEAR_LATITUDE,
  NEAR_LONGITUDE,
  SINE,
  SURELY_INSIDE,
  SURELY_OUTSIDE,
} from './layout';

/** The rule itself, in double precision (`src/domain/great-circle.ts`). */
// @ts-ignore: decorator
@external("rule", "isWithin")
declare function isWithin(latitude: i32, longitude: i32): bool;

// @ts-ignore: decorator
@inline const RADIANS: f32 = <f32>(Math.PI / 180e6);

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
 * The squared chord in single precision, of members who are near the centre and far from the poles:
 * x² - x⁴/12 + cos c (cos c - x sin c - x²/2 cos c) (y² - y⁴/12). The bounds leave room for its error of less than
 * 4 millionths (the ADR adds it up); the few members in between are asked about one by one.
 */
function countNear(latitudes: usize, longitudes: usize, longitude: i32, wanted: u64): u32 {
  const centreX = i32x4.splat(load<i32>(LATITUDE));
  const centreY = i32x4.splat(longitude);
  const restX = v128.load32_splat(LATITUDE_REST);
  const restY = v128.load32_splat(LONGITUDE_REST);
  const cosine = load<f32>(COSINE);
  const a = f32x4.splat(cosine * cosine);
  const b = f32x4.splat(-cosine * load<f32>(SINE));
  const c = f32x4.splat(cosine * cosine * <f32>-0.5);
  const scale = f32x4.splat(RADIANS);
  const twelfth = f32x4.splat(-1.0 / 12.0);
  const one = f32x4.splat(1);
  const limitInside = v128.load32_splat(SURELY_INSIDE);
  const limitOutside = v128.load32_splat(SURELY_OUTSIDE);
  let certain: u64 = 0;
  let possible: u64 = 0;
  for (let quad: usize = 0; quad < 256; quad += 16) {
    const dx = i32x4.sub(v128.load(latitudes + quad), centreX);
    const dy = i32x4.sub(v128.load(longitudes + quad), centreY);
    const x = f32x4.sub(f32x4.mul(f32x4.convert_i32x4_s(dx), scale), restX);
    const y = f32x4.sub(f32x4.mul(f32x4.convert_i32x4_s(dy), scale), restY);
    const x2 = f32x4.mul(x, x);
    const y2 = f32x4.mul(y, y);
    const chordX = f32x4.mul(x2, f32x4.add(one, f32x4.mul(x2, twelfth)));
    const chordY = f32x4.mul(y2, f32x4.add(one, f32x4.mul(y2, twelfth)));
    const shrink = f32x4.add(a, f32x4.mul(x, f32x4.add(b, f32x4.mul(x, c))));
    const chord = f32x4.add(chordX, f32x4.mul(shrink, chordY));
    certain |= (<u64>i32x4.bitmask(f32x4.lt(chord, limitInside))) << (quad >> 2);
    possible |= (<u64>i32x4.bitmask(f32x4.lt(chord, limitOutside))) << (quad >> 2);
  }
  certain &= wanted;
  possible &= wanted;
  let count = <u32>popcnt(certain);
  const doubtful = possible ^ certain;
  if (doubtful != 0) count += countExactly(latitudes, longitudes, doubtful);
  return count;
}

function countExactly(latitudes: usize, longitudes: usize, wanted: u64): u32 {
  let count: u32 = 0;
  for (let rest = wanted; rest != 0; rest &= rest - 1) {
    const slot = <usize>ctz(rest) << 2;
    if (isWithin(load<i32>(latitudes + slot), load<i32>(longitudes + slot))) count++;
  }
  return count;
}
