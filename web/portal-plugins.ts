/** Build plugins: for the data of the map, and for packages that are not used unchanged. */
import type { Plugin } from 'vite';
import { largestTowns, mapTiles, postcodeLists, townLists } from './map-data.ts';

const mapModules = 'virtual:map-data/';

/**
 * The map's data as modules. Each tile and each list is a file of its own, which is loaded on demand:
 * - `virtual:map-data/tiles`, `.../town-lists` and `.../postcode-lists` export the functions that load them, by their names;
 * - `virtual:map-data/largest-towns` is the largest town of each country.
 */
export function mapData(): Plugin {
  let made: ReadonlyMap<string, string> | undefined;
  return {
    name: 'map-data',
    resolveId: (id) => (id.startsWith(mapModules) ? `\0${id}` : null),
    load: (id) => {
      if (!id.startsWith(`\0${mapModules}`)) return null;
      made ??= new Map([
        ...parts(
          'tile',
          [...mapTiles()].map(([name, tile]) => [name, JSON.stringify(tile)]),
        ),
        ...parts('town-list', [...townLists()]),
        ...parts('postcode-list', [...postcodeLists()]),
        [`${mapModules}largest-towns`, textModule(largestTowns())],
      ]);
      return made.get(id.slice(1)) ?? null;
    },
  };
}

/** The modules of texts of one kind, and the one that exports the functions that load them. */
function parts(kind: string, texts: readonly (readonly [string, string])[]): [string, string][] {
  const idOf = (name: string) => `${mapModules}${kind}-${fileNameOf(name)}`;
  const loaders = texts.map(
    ([name]) => `${JSON.stringify(name)}: () => import(${JSON.stringify(idOf(name))})`,
  );
  return [
    ...texts.map(([name, text]): [string, string] => [idOf(name), textModule(text)]),
    [`${mapModules}${kind}s`, `export default {${loaders.join(',')}};`],
  ];
}

/** Letters of other alphabets by their numbers. */
function fileNameOf(name: string): string {
  return name.replaceAll('/', '-').replace(/[^\w-]/gu, (letter) => `u${letter.codePointAt(0)}`);
}

/** A text is parsed faster than the same data as a script. */
function textModule(text: string): string {
  return `export default ${JSON.stringify(text)};`;
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
