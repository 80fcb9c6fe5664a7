/**
 * Where sixteen boxes lie to a circle, four at a time. The squared chord (4 times the haversine) from the centre to any
 * place of a box lies between two bounds that take latitude, longitude and the shrinking of longitudes apart, each at its
 * worst; so the answer is right for every box on the sphere, at the dateline and the poles too. "Edge" is always a right answer.
 */
import {
  COSINE,
  HIGH_LATITUDE,
  HIGH_LONGITUDE,
  LATITUDE,
  LONGITUDE,
  LOW_LONGITUDE,
  RADIUS,
  SINE,
  SURELY_INSIDE,
  SURELY_OUTSIDE,
} from './layout';

/** One bit for each box. */
export let outside: u32 = 0;
export let inside: u32 = 0;

// @ts-ignore: decorator
@inline const RADIANS: f32 = <f32>(Math.PI / 180e6);

export function classify(boxes: usize): void {
  const latitude = i32x4.splat(load<i32>(LATITUDE));
  const longitude = i32x4.splat(load<i32>(LONGITUDE));
  const cosine = v128.load32_splat(COSINE);
  const sine = v128.load32_splat(SINE);
  const radius = v128.load32_splat(RADIUS);
  const limitInside = v128.load32_splat(SURELY_INSIDE);
  const limitOutside = v128.load32_splat(SURELY_OUTSIDE);
  let insideBits: u32 = 0;
  let outsideBits: u32 = 0;
  for (let quad: usize = 0; quad < 64; quad += 16) {
    const south = i32x4.sub(v128.load(boxes + quad), latitude);
    const north = i32x4.sub(v128.load(boxes + quad, HIGH_LATITUDE), latitude);
    const west = i32x4.sub(v128.load(boxes + quad, LOW_LONGITUDE), longitude);
    const east = i32x4.sub(v128.load(boxes + quad, HIGH_LONGITUDE), longitude);

    const nearX = i32x4.max_s(south, i32x4.neg(north));
    const farX = i32x4.max_s(i32x4.neg(south), north);
    const aroundWest = aroundTheEarth(west);
    const aroundEast = aroundTheEarth(east);
    const nearY = v128.andnot(i32x4.min_s(aroundWest, aroundEast), contains(west, east, 0));
    const farY = v128.bitselect(
      i32x4.splat(180_000_000),
      i32x4.max_s(aroundWest, aroundEast),
      v128.or(contains(west, east, -180_000_000), contains(west, east, 180_000_000)),
    );

    const southRadians = radians(south);
    const northRadians = radians(north);
    const least = f32x4.pmin(
      leastCosine(clamp(southRadians, radius), cosine, sine),
      leastCosine(clamp(northRadians, radius), cosine, sine),
    );
    const most = f32x4.pmin(
      f32x4.splat(1),
      f32x4.pmax(
        f32x4.sub(cosine, f32x4.mul(sine, southRadians)),
        f32x4.sub(cosine, f32x4.mul(sine, northRadians)),
      ),
    );
    const lower = f32x4.add(
      chordAtLeast(nearer(nearX)),
      f32x4.mul(f32x4.mul(cosine, f32x4.pmax(f32x4.splat(0), least)), chordAtLeast(nearer(nearY))),
    );
    const upper = f32x4.add(
      square(farther(farX)),
      f32x4.mul(f32x4.mul(cosine, most), square(farther(farY))),
    );
    outsideBits |= i32x4.bitmask(f32x4.gt(lower, limitOutside)) << (<u32>quad >> 2);
    insideBits |= i32x4.bitmask(f32x4.lt(upper, limitInside)) << (<u32>quad >> 2);
  }
  outside = outsideBits;
  inside = insideBits;
}

// @ts-ignore: decorator
@inline
function radians(microdegrees: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(microdegrees), f32x4.splat(RADIANS));
}

/** A microdegree less, because the centre was rounded to one; and never below 0. */
// @ts-ignore: decorator
@inline
function nearer(distance: v128): v128 {
  return radians(i32x4.max_s(i32x4.splat(0), i32x4.sub(distance, i32x4.splat(1))));
}

// @ts-ignore: decorator
@inline
function farther(distance: v128): v128 {
  return radians(i32x4.add(distance, i32x4.splat(1)));
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
function contains(west: v128, east: v128, place: i32): v128 {
  return v128.and(i32x4.le_s(west, i32x4.splat(place)), i32x4.ge_s(east, i32x4.splat(place)));
}

// @ts-ignore: decorator
@inline
function clamp(angle: v128, most: v128): v128 {
  return f32x4.pmax(f32x4.neg(most), f32x4.pmin(most, angle));
}

/**
 * At most the cosine of a latitude that is `angle` from the centre's:
 * cos(c + a) >= cos c (1 - a²/2) - sin c a - |sin c a³| / 6.
 */
// @ts-ignore: decorator
@inline
function leastCosine(angle: v128, cosine: v128, sine: v128): v128 {
  const squared = square(angle);
  const turned = f32x4.mul(sine, angle);
  const first = f32x4.sub(cosine, f32x4.mul(f32x4.mul(cosine, squared), f32x4.splat(0.5)));
  const rest = f32x4.mul(f32x4.mul(f32x4.abs(turned), squared), f32x4.splat(1.0 / 6.0));
  return f32x4.sub(f32x4.sub(first, turned), rest);
}

/** At most the squared chord of an angle, which is at least a² - a⁴/12 and at most a². */
// @ts-ignore: decorator
@inline
function chordAtLeast(angle: v128): v128 {
  const squared = square(angle);
  return f32x4.sub(squared, f32x4.mul(f32x4.mul(squared, squared), f32x4.splat(1.0 / 12.0)));
}

// @ts-ignore: decorator
@inline
function square(value: v128): v128 {
  return f32x4.mul(value, value);
}
