/** What the platform publishes for everybody, beside its API: the guides, and lists of places. */
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { nameOf } from '@offer-ads/contracts/places/cities';
import { findPlaces, listFile, placeLists } from '@offer-ads/contracts/places/find-places';
import type { ClientOptions } from '@offer-ads/sdk/options';
import { z } from 'zod';

/** @returns null where nothing is published */
export type ReadPublished = (path: string) => Promise<string | null>;

const readMs = 5_000;

export function publishedBy({ baseUrl, fetch = globalThis.fetch }: ClientOptions): ReadPublished {
  return async (path) => {
    const signal = AbortSignal.timeout(readMs);
    const reply = await fetch(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      headers: {},
      redirect: 'error',
      signal,
    });
    if (reply.status === 404) return null;
    if (!reply.ok) throw new Error(`${path} was answered with ${reply.status}`);
    return reply.text();
  };
}

const guideUri = 'offer-ads://guides/{name}';

/** The guides for advertisers, which `/llms.txt` lists. */
export function addGuides(server: McpServer, read: ReadPublished): void {
  const list = async () => {
    const lines =
      (await read('/llms.txt'))?.matchAll(/^- \[(.+?)\]\(\S*\/docs\/([\w-]+)\.md\): (.*)$/gm) ?? [];
    const resources = [...lines].map(([, title = '', name = '', description = '']) => ({
      uri: guideUri.replace('{name}', name),
      name,
      title,
      description,
      mimeType: 'text/markdown',
    }));
    return { resources };
  };
  const config = { title: 'Guides', description: 'How to use the service.', mimeType: 'text/markdown' };
  server.registerResource(
    'guides',
    new ResourceTemplate(guideUri, { list }),
    config,
    async (uri, { name }) => {
      const isName = typeof name === 'string' && /^[\w-]+$/.test(name);
      const text = isName ? await read(`/docs/${name}.md`) : null;
      if (text === null) throw new ResourceNotFoundError(uri.href);
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
    },
  );
}

export const wantedPlace = z.object({
  text: z
    .string()
    .min(2)
    .max(100)
    .meta({ description: 'A postcode, a town, or a part of a town, such as "Soho, London". No streets.' }),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional()
    .meta({ description: 'Two letters, such as GB: its places come first.' }),
});

export const foundPlaces = z.object({
  places: z.array(z.object({ name: z.string(), location: z.array(z.number()) })).meta({
    description: 'The best first; `location` is that of an estimate and of an offer. Empty: none is known.',
  }),
});

const most = 8;

export async function placesFor(
  read: ReadPublished,
  { text, country = '' }: z.output<typeof wantedPlace>,
): Promise<z.output<typeof foundPlaces>> {
  const load = (kind: 'towns' | 'postcodes') => async (name: string) =>
    (await read(`/docs/places/${listFile(kind, name)}`)) ?? '';
  const lists = placeLists({ towns: load('towns'), postcodes: load('postcodes') });
  const { places } = await findPlaces(lists, { text, country, most });
  return {
    places: places.map((place) => ({ name: nameOf(place), location: [place.latitude, place.longitude] })),
  };
}
