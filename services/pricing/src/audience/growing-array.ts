/** Typed arrays that double when they are full. */
type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

export type GrowingArray<T extends Numbers> = {
  /** Longer than what was pushed. */
  values: T;
  length: number;
};

export function growingArray<T extends Numbers>(values: T): GrowingArray<T> {
  return { values, length: 0 };
}

export function push<T extends Numbers>(array: GrowingArray<T>, value: number): void {
  if (array.length === array.values.length) {
    const larger = new (array.values.constructor as new (length: number) => T)(array.length * 2);
    larger.set(array.values);
    array.values = larger;
  }
  array.values[array.length] = value;
  array.length += 1;
}
