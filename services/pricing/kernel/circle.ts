/**
 * Works out the circle of a count: centre, radius and the limits that boxes and members are compared with. Angles are in
 * microdegrees, like positions, and chords are squared. The ADR derives the limits.
 */
import {
  BEYOND,
  COSINE,
  LATITUDE,
  LATITUDE_REST,
  MIN_COSINE,
  LONGITUDE,
  LONGITUDE_REST,
  MEMBER_INSIDE,
  MEMBER_OUTSIDE,
  NEAR_LATITUDE,
  NEAR_LONGITUDE,
  NORTHERN,
  RADIUS,
  SHRINK,
  SHRINK_BY_LATITUDE,
  SINE,
  SURELY_INSIDE,
  SURELY_OUTSIDE,
  WRAPS,
} from './layout';

const PI: f64 = 3.141592653589793;
const MICRODEGREE: f64 = PI / 180e6;
/** The error of the kernel's single precision is below a millionth of a squared chord. */
const ROUNDING: f64 = 4e-6;
/** The error of a number near 1 in single precision. */
const SINGLE: f64 = 1e-6;

/** @param radius in radians; the centre is in degrees */
export function writeCircle(latitudeDegrees: f64, longitudeDegrees: f64, radius: f64): void {
  const latitude = nearest<f64>(latitudeDegrees * 1e6);
  const longitude = nearest<f64>(longitudeDegrees * 1e6);
  const angle = latitudeDegrees * 1e6 * MICRODEGREE;
  const sine = sineOf(angle);
  const cosine = sineOf(max<f64>(0, PI / 2 - abs<f64>(angle)));
  const span = spanOf(radius, cosine);
  const chord: f64 = radius >= PI ? Infinity : (2 * sineOf(radius / 2)) / MICRODEGREE;

  store<i32>(LATITUDE, <i32>latitude);
  store<i32>(LONGITUDE, <i32>longitude);
  store<f32>(LATITUDE_REST, <f32>(latitudeDegrees * 1e6 - latitude));
  store<f32>(LONGITUDE_REST, <f32>(longitudeDegrees * 1e6 - longitude));

  // For boxes. cos(c + a) >= cos c - a sin c - a²/2 (1 + a/3); places beyond the radius do not matter.
  store<f32>(RADIUS, <f32>(radius / MICRODEGREE));
  store<f32>(COSINE, <f32>cosine);
  store<f32>(MIN_COSINE, <f32>(cosine - ((radius * radius) / 2) * (1 + radius / 3) - SINGLE));
  store<f32>(SINE, <f32>(abs<f64>(sine) * MICRODEGREE));
  store<u32>(NORTHERN, sine >= 0 ? 0xffffffff : 0);
  store<u32>(WRAPS, abs<f64>(longitude) * MICRODEGREE + span >= PI ? 1 : 0);
  // Up to this angle, a chord is not much shorter than the angle; larger angles need no distinction.
  const beyond = min<f64>(PI, max<f64>(4 * radius, 2 * span));
  const shortened = (2 * sineOf(beyond / 2)) / beyond;
  store<i32>(BEYOND, <i32>(beyond / MICRODEGREE));
  store<f32>(SURELY_OUTSIDE, <f32>(((chord + 1) * (chord + 1) * (1 + ROUNDING)) / (shortened * shortened)));
  store<f32>(SURELY_INSIDE, chord > 1 ? <f32>((chord - 1) * (chord - 1) * (1 - ROUNDING)) : 0);

  // For single members. The formula is not used for circles smaller than metres, larger than 39 miles, or so close to a pole
  // that they span more than a tenth of a radian.
  const isValid = radius > 1e-6 && radius < 0.01 && span < 0.1;
  // Farther towards the pole, the factor for longitudes would become negative.
  const nearLatitude = min<f64>(0.3, (0.5 * cosine) / abs<f64>(sine));
  store<i32>(NEAR_LATITUDE, isValid ? <i32>(nearLatitude / MICRODEGREE) : -1);
  store<i32>(NEAR_LONGITUDE, isValid ? <i32>(0.3 / MICRODEGREE) : -1);
  store<f32>(SHRINK, <f32>(cosine * cosine));
  store<f32>(SHRINK_BY_LATITUDE, <f32>(-cosine * sine * MICRODEGREE));
  store<f32>(MEMBER_INSIDE, <f32>(chord * chord * (1 - ROUNDING)));
  const leftOut = radius * radius * (1.0 / 8 + 1 / (12 * cosine * cosine));
  store<f32>(MEMBER_OUTSIDE, <f32>(chord * chord * (1 + ROUNDING + 1.1 * leftOut)));
}

/**
 * An upper bound of the extent to the east and west of the centre, asin(sin r / cos c), by tan x >= x. Half the earth if a pole
 * is inside or near.
 */
function spanOf(radius: f64, cosine: f64): f64 {
  if (radius >= PI / 2) return PI;
  const sine = sineOf(radius) / cosine;
  return sine < 0.5 ? sine / sqrt<f64>(1 - sine * sine) : PI;
}

/** Taylor's series to x^13: off by less than a thousand-millionth. @param x from -π/2 to π/2 */
function sineOf(x: f64): f64 {
  const square = x * x;
  let sum: f64 = 1;
  for (let n: f64 = 12; n > 0; n -= 2) sum = 1 - (square * sum) / (n * (n + 1));
  return x * sum;
}
