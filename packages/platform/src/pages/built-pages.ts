/**
 * Serves built pages and files, each stored with a Brotli and a gzip copy (web/build.ts), and sets the headers of every page. A missing
 * file is a 404 and does not end the process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestHandler, Response } from 'express';
import expressStaticGzip from 'express-static-gzip';

/** The output of `npm run build:web`. Found by its path, because images contain it without the package that built it. */
export const builtFolder = fileURLToPath(new URL('../../../../web/dist', import.meta.url));

/** Throws when the file is missing, so that the server does not start without it. */
export function readBuiltPage(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error('The pages are not built: run `npm run build:web` first', { cause });
  }
}

/** Sends one page. Reads the file each time, so that a new build is served without a restart. */
export function builtPage(folder: string, name: string): RequestHandler {
  readBuiltPage(join(folder, name));
  return (_req, res) =>
    res.sendFile(name, { root: folder, cacheControl: false, etag: false, lastModified: false });
}

/**
 * @param o.keep how long caches may keep the files: seconds, 0 to revalidate each time, or `for-ever` where names change with content
 */
export function builtFiles(folder: string, o: { readonly keep: number | 'for-ever' }): RequestHandler {
  return expressStaticGzip(folder, {
    enableBrotli: true,
    orderPreference: ['br', 'gzip'],
    index: false,
    serveStatic: {
      index: false,
      redirect: false,
      immutable: o.keep === 'for-ever',
      maxAge: (o.keep === 'for-ever' ? 31_536_000 : o.keep) * 1_000,
      setHeaders: neverSniffed,
    },
  });
}

/**
 * The policy of our own pages: only scripts, styles and fonts of this origin are used, and text never becomes markup.
 * @param o.imageSources other origins from which images are loaded
 */
export function strictPolicy({
  imageSources = [],
}: {
  readonly imageSources?: readonly string[];
} = {}): string {
  return policyOf([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    ["img-src 'self'", ...imageSources].join(' '),
    "require-trusted-types-for 'script'",
  ]);
}

/**
 * A content security policy.
 * @param sources the directives that say what the page may load
 * @param formAction where its forms may be sent
 */
export function policyOf(sources: readonly string[], formAction: "'none'" | "'self'" = "'none'"): string {
  return [...sources, "base-uri 'none'", `form-action ${formAction}`, "frame-ancestors 'none'"].join('; ');
}

/** Sets security headers: no framing, no content sniffing, no referrer. */
export function protect(res: Response, policy: string): void {
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('Referrer-Policy', 'no-referrer');
  neverSniffed(res);
}

export function neverSniffed(res: { readonly setHeader: (name: string, value: string) => unknown }): void {
  res.setHeader('X-Content-Type-Options', 'nosniff');
}
