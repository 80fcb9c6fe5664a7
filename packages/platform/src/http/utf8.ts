/** Strict decoding of text: bytes that are not UTF-8 are refused and not replaced by U+FFFD. */
import { isUtf8 } from 'node:buffer';

/** @returns `problem` names the first wrong byte, such as "byte 0xE4 at position 2 is not"; the first position is 0 */
export function readUtf8(
  bytes: Buffer,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string } {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { ok: true, text };
  // The lenient decoder has replaced wrong bytes, so the first difference is where they begin.
  const encoded = Buffer.from(text);
  const differsAt = bytes.findIndex((byte, index) => byte !== encoded[index]);
  let at = differsAt < 0 ? bytes.length : differsAt;
  // U+FFFD may begin with the same bytes as a character that breaks off.
  while (!isUtf8(bytes.subarray(0, at))) at -= 1;
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return { ok: false, problem: `byte 0x${byte} at position ${at} is not` };
}
