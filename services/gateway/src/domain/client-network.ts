/** Whom a rate limit counts (specification, Limits): an IPv4 address, or the /64 that an IPv6 customer owns whole. */

/** `ip` is a valid address in any notation. */
export function networkOf(ip: string): string {
  return ip.includes(':') ? `${groupsOf(ip).slice(0, 4).join(':')}::/64` : ip;
}

/** The eight groups of an IPv6 address without leading zeros. */
function groupsOf(ip: string): readonly string[] {
  const [head = '', tail] = ip.replace(/%.*$/, '').toLowerCase().split('::');
  const before = split(head);
  const after = tail === undefined ? [] : split(tail);
  const missing = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...missing, ...after];
}

function split(part: string): readonly string[] {
  return part === '' ? [] : part.split(':').flatMap(groupsOfPart);
}

/** A dotted IPv4 tail stands for two groups; the /64 never sees their values. */
function groupsOfPart(group: string): readonly string[] {
  return group.includes('.') ? ['0', '0'] : [group.replace(/^0+(?=.)/, '')];
}
