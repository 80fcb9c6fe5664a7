/** Cookies for signed-in people, and for people who are signing in. */
import type { Request, Response } from 'express';

export type SessionCookie = {
  readonly read: (req: Request) => string | undefined;
  readonly set: (res: Response, token: string, lifeMs: number) => void;
  readonly clear: (res: Response) => void;
};

/**
 * With https the `__Host-` prefix prevents other hosts of the domain and plain http from setting the cookie. Development has no https,
 * and browsers refuse that prefix and `Secure` there.
 * @param o.name different for each site, because sites on one host share cookies, also across ports
 * @param o.sameSite `Lax` where the browser must send it when it comes from another site
 */
export function sessionCookie(o: {
  publicUrl: string;
  name: string;
  sameSite?: 'Strict' | 'Lax';
}): SessionCookie {
  const isSecure = new URL(o.publicUrl).protocol === 'https:';
  const name = isSecure ? `__Host-${o.name}` : o.name;
  const attributes = `Path=/; HttpOnly; SameSite=${o.sameSite ?? 'Strict'}${isSecure ? '; Secure' : ''}`;
  const write = (res: Response, value: string, maxAgeSeconds: number) => {
    res.append('Set-Cookie', `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`);
  };
  return {
    read: (req) => valueOf(req.get('cookie') ?? '', name),
    set: (res, token, lifeMs) => write(res, token, Math.max(0, Math.floor(lifeMs / 1_000))),
    clear: (res) => write(res, '', 0),
  };
}

function valueOf(header: string, name: string): string | undefined {
  const pair = header.split(';').find((pair) => pair.trimStart().startsWith(`${name}=`));
  return pair?.slice(pair.indexOf('=') + 1).trim();
}
