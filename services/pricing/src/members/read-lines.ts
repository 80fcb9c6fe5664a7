/** Reads the lines of a byte stream with a maximum length, so that a stream without line ends does not fill the memory. */

export type Line = {
  /** Starts at 1. */
  readonly number: number;
  /** Null if the line is longer than the maximum. */
  readonly text: string | null;
};

const LINE_END = 0x0a;

/** Empty lines are counted but not returned. A line longer than the maximum is the last one. */
export async function* readLines(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let number = 0;
  let unfinished: Uint8Array = new Uint8Array();
  for await (const chunk of bytes) {
    const buffered = Buffer.concat([unfinished, chunk]);
    let start = 0;
    for (let end = buffered.indexOf(LINE_END); end !== -1; end = buffered.indexOf(LINE_END, start)) {
      number += 1;
      const line = toLine(number, buffered.subarray(start, end), maxBytes);
      if (line.text !== '') yield line;
      start = end + 1;
    }
    unfinished = buffered.subarray(start);
    if (unfinished.length > maxBytes) break;
  }
  const last = toLine(number + 1, Buffer.from(unfinished), maxBytes);
  if (last.text !== '') yield last;
}

function toLine(number: number, line: Buffer, maxBytes: number): Line {
  return { number, text: line.length > maxBytes ? null : line.toString('utf8').trim() };
}
