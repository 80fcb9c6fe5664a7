/**
 * Where sixteen boxes lie to a circle, four at a time, in microdegrees. The squared chord from the centre to any place of a
 * box lies between two bounds that take latitude, longitude and the shrinking of longitudes apart, each at its worst; so the
 * answer is right for every box on the sphere, at the dateline and the poles too. "Edge" is never wrong, only slower.
 */
import {
  BEYOND,
  COSINE,
  HIGH_LATITUDE,
  HIGH_LONGITUDE,
  LATITUDE,
  MIN_COSINE,
  LONGITUDE,
  LOW_LONGITUDE,
  NORTHERN,
  RADIUS,
  SINE,
  SURELY_INSIDE,
  SURELY_OUTSIDE,
  WRAPS,
} from './layout';

/** One bit for each box. */
export let outside: u32 = 0;
export let inside: u32 = 0;

export function classify(boxes: usize): void {
  if (load<u32>(WRAPS) == 0) classifyOn(boxes, false);
  else classifyOn(boxes, true);
}

/** @param wraps whether the circle reaches over the dateline or a pole: only then ways around the earth are shorter */
// @ts-ignore: decorator
@inline
function classifyOn(boxes: usize, wraps: bool): void {
  const latitude = i32x4.splat(load<i32>(LATITUDE));
  const longitude = i32x4.splat(load<i32>(LONGITUDE));
  const beyond = i32x4.splat(load<i32>(BEYOND));
  const northern = v128.load32_splat(NORTHERN);
  const radius = v128.load32_splat(RADIUS);
  const sine = v128.load32_splat(SINE);
  const cosine = v128.load32_splat(COSINE);
  const minCosine = v128.load32_splat(MIN_COSINE);
  const limitInside = v128.load32_splat(SURELY_INSIDE);
  const limitOutside = v128.load32_splat(SURELY_OUTSIDE);
  const zero = i32x4.splat(0);
  let insideBits: u32 = 0;
  let outsideBits: u32 = 0;
  for (let quad: usize = 0; quad < 64; quad += 16) {
    // How far the box begins and ends to the north and to the south of the centre, to the east and to the west.
    const northFrom = i32x4.sub(v128.load(boxes + quad), latitude);
    const northTo = i32x4.sub(v128.load(boxes + quad, HIGH_LATITUDE), latitude);
    const eastFrom = i32x4.sub(v128.load(boxes + quad, LOW_LONGITUDE), longitude);
    const eastTo = i32x4.sub(v128.load(boxes + quad, HIGH_LONGITUDE), longitude);
    const southTo = i32x4.neg(northFrom);
    const westTo = i32x4.neg(eastFrom);

    const nearX = i32x4.max_s(northFrom, i32x4.neg(northTo));
    const farX = i32x4.max_s(northTo, southTo);
    let nearY = i32x4.max_s(eastFrom, i32x4.neg(eastTo));
    let farY = i32x4.max_s(eastTo, westTo);
    if (wraps) {
      const aroundWest = aroundTheEarth(eastFrom);
      const aroundEast = aroundTheEarth(eastTo);
      const behind = v128.or(
        contains(eastFrom, eastTo, -180_000_000),
        contains(eastFrom, eastTo, 180_000_000),
      );
      nearY = v128.andnot(i32x4.min_s(aroundWest, aroundEast), contains(eastFrom, eastTo, 0));
      farY = v128.bitselect(i32x4.splat(180_000_000), i32x4.max_s(aroundWest, aroundEast), behind);
    }

    // The cosine is least at the end towards the pole, as far as the circle goes, and nowhere above its tangent.
    const poleward = f32x4.convert_i32x4_s(v128.bitselect(northTo, southTo, northern));
    const equatorward = f32x4.convert_i32x4_s(v128.bitselect(southTo, northTo, northern));
    const least = f32x4.pmax(zero, f32x4.sub(minCosine, f32x4.mul(sine, f32x4.pmin(poleward, radius))));
    const most = f32x4.pmin(f32x4.splat(1), f32x4.add(cosine, f32x4.mul(sine, equatorward)));
    const nearX2 = square(i32x4.min_s(beyond, i32x4.max_s(zero, nearX)));
    const nearY2 = square(i32x4.min_s(beyond, i32x4.max_s(zero, nearY)));
    const lower = f32x4.add(nearX2, f32x4.mul(f32x4.mul(cosine, least), nearY2));
    const upper = f32x4.add(square(farX), f32x4.mul(f32x4.mul(cosine, most), square(farY)));
    outsideBits |= i32x4.bitmask(f32x4.gt(lower, limitOutside)) << (<u32>quad >> 2);
    insideBits |= i32x4.bitmask(f32x4.lt(upper, limitInside)) << (<u32>quad >> 2);
  }
  outside = outsideBits;
  inside = insideBits;
}

/** The shorter way. */
// @ts-ignore: decorator
@inline
function aroundTheEarth(difference: v128): v128 {
  const straight = i32x4.abs(difference);
  return i32x4.min_s(straight, i32x4.sub(i32x4.splat(360_000_000), straight));
}

// @ts-ignore: decorator
@inline
function contains(from: v128, to: v128, place: i32): v128 {
  return v128.and(i32x4.le_s(from, i32x4.splat(place)), i32x4.ge_s(to, i32x4.splat(place)));
}

// @ts-ignore: decorator
@inline
function square(microdegrees: v128): v128 {
  const value = f32x4.convert_i32x4_s(microdegrees);
  return f32x4.mul(value, value);
}
