/**
 * Pages and files that were built beforehand, each beside a Brotli and a gzip copy of itself (web/build.ts), and the headers that go
 * with every page. A file that is gone is 404: it ends no process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestHandler, Response } from 'express';
import expressStaticGzip from 'express-static-gzip';

/** What `npm run build:web` made: by its place, because images have the result without the package that built it. */
export const builtFolder = fileURLToPath(new URL('../../../../web/dist', import.meta.url));

/** @param file of a page that its server cannot do without: it does not start otherwise */
export function readBuiltPage(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error('The pages are not built: run `npm run build:web` first', { cause });
  }
}

/** Sends one page at every address that it is mounted at; read each time, so that a new build beside a running server is seen. */
export function builtPage(folder: string, name: string): RequestHandler {
  readBuiltPage(join(folder, name));
  return (_req, res) =>
    res.sendFile(name, { root: folder, cacheControl: false, etag: false, lastModified: false });
}

/**
 * @param o.keep how long caches may keep them: seconds, 0 for asking again each time, or `for-ever` where names change with content
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
 * Of pages that are our own from end to end: only scripts and styles of this origin run, and texts never become markup.
 * @param o.imageSources where pictures come from beside this origin
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
    ["img-src 'self'", ...imageSources].join(' '),
    "require-trusted-types-for 'script'",
  ]);
}

/** A content security policy. @param sources the directives of what the page may load */
export function policyOf(sources: readonly string[]): string {
  return [...sources, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ');
}

/** Nothing of ours is framed, sniffed or referred elsewhere. */
export function protect(res: Response, policy: string): void {
  res.setHeader('Content-Security-Policy', policy);
  res.setHeader('Referrer-Policy', 'no-referrer');
  neverSniffed(res);
}

export function neverSniffed(res: { readonly setHeader: (name: string, value: string) => unknown }): void {
  res.setHeader('X-Content-Type-Options', 'nosniff');
}
