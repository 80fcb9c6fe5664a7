/** Serves the guides and references, which `npm run build:web` builds from docs/guides, docs/guides-community and the OpenAPI documents, and the test pictures. */
import { join } from 'node:path';
import { builtFiles, protect, readBuiltPage, strictPolicy } from '@offer-ads/platform/pages/built-pages';
import type { Express } from 'express';

const policy = strictPolicy();
const dayInSeconds = 86_400;

/** @param folder the folder of the built guides */
export function docsPages(app: Express, folder: string): void {
  readBuiltPage(join(folder, 'not-found.html'));
  // A guide may change with every release: browsers revalidate it each time, and get a 304 if it is unchanged.
  const files = builtFiles(folder, { keep: 0 });

  app.use('/docs/assets', builtFiles(join(folder, 'assets'), { keep: 'for-ever' }));
  app.use('/docs/test-pictures', builtFiles(join(folder, 'test-pictures'), { keep: dayInSeconds }));
  // For programs that look for a place, such as the tools of assistants.
  app.use('/docs/places', builtFiles(join(folder, 'places'), { keep: dayInSeconds }));
  app.use('/docs', (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    const missing = () => {
      protect(res, policy);
      res.status(404).setHeader('Cache-Control', 'no-store');
      // Read each time, because a new build beside a running gateway has other names for its styles.
      const bare = { acceptRanges: false, cacheControl: false, etag: false, lastModified: false };
      res.sendFile('not-found.html', { root: folder, ...bare });
    };
    // Names that the mounts above did not find are no guides.
    const [, part = '', name, markdown] =
      /^(\/(?:community|reference)(?=\/|$))?\/?([\w-]*)(\.md)?$/.exec(req.path) ?? [];
    if (name === undefined || name === 'not-found') return missing();
    protect(res, policy);
    req.url = `${part}/${name || 'index'}${markdown ?? '.html'}`;
    files(req, res, missing);
  });
  app.get('/portal/docs{/:name}', (req, res, next) => {
    const { name = 'index' } = req.params;
    if (!/^[\w-]+$/.test(name)) return next();
    protect(res, policy);
    req.url = `/portal-reference/${name}.html`;
    files(req, res, next);
  });
}
