/** Strict decoding of text: bytes that are not UTF-8 are refused and not replaced by U+FFFD. */
import { isUtf8 } from 'node:buffer';

/** @returns `problem` names the first wrong byte, such as "byte 0xE4 at position 2 is not" */
export function readUtf8(
  bytes: Buffer,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string } {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { ok: true, text };
  // The lenient decoder has replaced wrong bytes, so the first difference is where they begin.
  const encoded = Buffer.from(text);
  const at = bytes.findIndex((byte, index) => byte !== encoded[index]);
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return { ok: false, problem: `byte 0x${byte} at position ${at} is not` };
}
