/**
 * The networks that rate limits count (specification, Limits): one client is an IPv4 address, or the IPv6 /64 of one customer. The larger
 * prefix around it is counted too.
 */

/** `ip` is a valid address in any notation. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip;
  const groups = groupsOf(ip);
  // Clients with IPv4 behind a translator share one /64, and must not share one limit.
  if (isMapped(groups) || isTranslated(groups)) return ipv4At(groups);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/**
 * The network that one attacker may own entirely: the /48 that providers assign in IPv6, and the /24 that is the smallest routable part of
 * IPv4.
 */
export function prefixOf(ip: string): string {
  const network = networkOf(ip);
  if (!network.includes(':')) return `${network.slice(0, network.lastIndexOf('.'))}.0/24`;
  return `${network.split(':', 3).join(':')}::/48`;
}

/** Converts an IPv4 address written as IPv6, `::ffff:192.0.2.1` in any notation, to its IPv4 form; other addresses stay as they are. */
export function unmapped(ip: string): string {
  if (!ip.includes(':')) return ip;
  const groups = groupsOf(ip);
  return isMapped(groups) ? ipv4At(groups) : ip;
}

/** The 32 bits of an IPv4 address in its usual form, `192.0.2.1`; null for every other text. Called several times per request. */
export function ipv4Number(text: string): number | null {
  // The longest is 255.255.255.255.
  if (text.length > 15) return null;
  let address = 0;
  let parts = 1;
  let part = -1;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) {
      // A leading zero could mean an octal number.
      if (part === 0) return null;
      part = part < 0 ? digit : part * 10 + digit;
      if (part > 255) return null;
    } else {
      if (text[at] !== '.' || part < 0 || parts === 4) return null;
      address = address * 256 + part;
      parts += 1;
      part = -1;
    }
  }
  return parts === 4 && part >= 0 ? address * 256 + part : null;
}

type Groups = readonly number[];

const startsWith = (groups: Groups, head: Groups) => head.every((value, index) => groups[index] === value);
/** RFC 4291, 2.5.5.2. */
const isMapped = (groups: Groups) => startsWith(groups, [0, 0, 0, 0, 0, 0xffff]);
/** The well-known prefix of IPv4 translators, RFC 6052. */
const isTranslated = (groups: Groups) => startsWith(groups, [0x64, 0xff9b, 0, 0, 0, 0]);

function ipv4At(groups: Groups): string {
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of an IPv6 address, without a zone. */
function groupsOf(ip: string): Groups {
  const [head = '', tail] = ip.replace(/%.*$/s, '').split('::');
  const before = split(head);
  const after = tail === undefined ? [] : split(tail);
  const missing = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...missing, ...after];
}

function split(part: string): Groups {
  return part === '' ? [] : part.split(':').flatMap(groupsOfPart);
}

/** A dotted IPv4 part stands for two groups. */
function groupsOfPart(part: string): Groups {
  if (!part.includes('.')) return [Number.parseInt(part, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}
