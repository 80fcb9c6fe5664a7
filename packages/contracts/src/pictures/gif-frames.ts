/**
 * Reads the block structure of a GIF without decoding pixels. Decoders accept a truncated file without an error, and they allocate memory
 * for every frame before the number of frames can be checked.
 */

const imageBlock = 0x2c;
const extensionBlock = 0x21;
const graphicControl = 0xf9;
const logicalScreenEnd = 13;

/**
 * The delay of each frame in milliseconds, as the file gives it. Undefined when the file ends in the middle of a block.
 * @param atMost reading ends at one frame more, so that a file with millions of frames takes no longer
 */
export function gifDelaysMs(bytes: Uint8Array, atMost: number): readonly number[] | undefined {
  return readBlocks(bytes, atMost)?.delaysMs;
}

/** The bytes whose frames `gifDelaysMs` counts, so that a decoder finds no others. A missing trailer is common and harmless. */
export function wholeGif(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, readBlocks(bytes, Number.POSITIVE_INFINITY)?.end);
}

/** Like browsers, takes any byte that begins no block for the trailer. Some encoders write a zero byte or a second GIF there. */
function readBlocks(
  bytes: Uint8Array,
  atMost: number,
): { readonly delaysMs: readonly number[]; readonly end: number } | undefined {
  let at = logicalScreenEnd + colourTableBytes(bytes[10]);
  let delayMs = 0;
  const delaysMs: number[] = [];
  while (isBlock(bytes[at]) && delaysMs.length <= atMost) {
    const isImage = bytes[at] === imageBlock;
    const after = isImage ? endOfImage(bytes, at) : endOfSubBlocks(bytes, at + 2);
    if (after === undefined) return undefined;
    if (isImage) {
      delaysMs.push(delayMs);
      delayMs = 0;
    } else if (bytes[at + 1] === graphicControl) {
      delayMs = 10 * ((bytes[at + 4] ?? 0) + 256 * (bytes[at + 5] ?? 0));
    }
    at = after;
  }
  return at <= bytes.length ? { delaysMs, end: at } : undefined;
}

function isBlock(first: number | undefined): boolean {
  return first === imageBlock || first === extensionBlock;
}

/** An image is: a descriptor of ten bytes, an optional colour table, the code size, the compressed pixels. */
function endOfImage(bytes: Uint8Array, at: number): number | undefined {
  return endOfSubBlocks(bytes, at + 10 + colourTableBytes(bytes[at + 9]) + 1);
}

/** Each sub-block begins with its length; length 0 ends the chain. */
function endOfSubBlocks(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; at < bytes.length; ) {
    const length = bytes[at] ?? 0;
    at += 1 + length;
    if (length === 0) return at;
  }
  return undefined;
}

/** Bit 7 says whether there is a table; bits 0 to 2 give its size as a power of two, three bytes a colour. */
function colourTableBytes(packed = 0): number {
  return (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 0x07) + 1);
}
