/** The hash slot of a key in a cluster of Valkey: CRC16 (XMODEM) of its ASCII text, modulo 16,384. Of a key with braces, what is in the first ones. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const hashed = close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (let at = 0; at < hashed.length; at += 1) {
    crc ^= hashed.charCodeAt(at) << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  }
  return crc & 0x3fff;
}
