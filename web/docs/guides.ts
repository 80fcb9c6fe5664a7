/** Reads the guides of a folder. README.md is the first page, and its list gives the order of the others. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RenderedGuide, renderGuide, withoutComments } from './markdown.ts';
import { type Assets, guidePage, type NavigationEntry, notFoundPage } from './page.ts';

export const START = 'README.md';

/** Guides for one kind of reader: their folder, and the address of their first page. */
export type GuidesFolder = { readonly folder: string; readonly address: string };

const docs = join(import.meta.dirname, '../../docs');
/** For advertisers, and for the community platform. */
export const guidesFolders: readonly GuidesFolder[] = [
  { folder: join(docs, 'guides'), address: '/docs' },
  { folder: join(docs, 'guides-community'), address: '/docs/community' },
];

export type RenderedGuides = {
  /** File names with their contents. */
  readonly pages: ReadonlyMap<string, string>;
  /** The same guides for programs. */
  readonly markdown: ReadonlyMap<string, string>;
  readonly searchEntries: readonly string[][];
  /** A line of Markdown for each guide: its address and what it is about. */
  readonly list: string;
};

/** The folder of the test pictures is beside the guides'. */
export async function readGuides({
  folder,
  address,
}: GuidesFolder): Promise<{ files: readonly string[]; texts: string[]; guides: RenderedGuide[] }> {
  const [start, others, drawings] = await Promise.all([
    readFile(join(folder, START), 'utf8'),
    filesOf(folder, '.md'),
    filesOf(folder, '.svg'),
  ]);
  const pictures = await readdir(join(folder, '../test-pictures'));
  const files = [START, ...listedIn(start)];
  const missing = others.filter((file) => !files.includes(file));
  if (missing.length > 0) throw new Error(`${START} does not list ${missing.join(', ')}`);
  const svgs = new Map(
    await Promise.all(
      drawings.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
    ),
  );
  const around = {
    addressOf: (link: string) => siteAddress(link, { address, files, pictures }),
    drawing: (name: string) => svgs.get(name) ?? fail(`there is no drawing ${name}`),
  };
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return { files, texts, guides: texts.map((text) => renderGuide(text, around)) };
}

export async function renderGuides(which: GuidesFolder, assets: Assets): Promise<RenderedGuides> {
  const { files, texts, guides } = await readGuides(which);
  const { address } = which;
  const navigation = files.map((file, at): NavigationEntry => {
    const title = guides[at]?.title ?? '';
    return { address: addressOfGuide(address, file), title: file === START ? 'Overview' : title };
  });
  const pages = files.map((file, at): [string, string] => {
    const guide = guides[at] ?? fail(`${file} was not rendered`);
    return [nameOfPage(file), guidePage({ guide, at, navigation, assets })];
  });
  pages.push(['not-found.html', notFoundPage({ navigation, assets })]);
  const list = guides.map(({ title, summary }, at) => `- [${title}](${address}/${files[at]}): ${summary}`);
  return {
    pages: new Map(pages),
    markdown: new Map(files.map((file, at) => [file, asMarkdown(texts[at] ?? '')])),
    searchEntries: searchEntries(address, files, guides),
    list: list.join('\n'),
  };
}

/** A guide for programs: its links lead to the Markdown of other guides, and to pictures on the site. */
function asMarkdown(text: string): string {
  return withoutComments(text).replaceAll('](../test-pictures/', '](/docs/test-pictures/');
}

/** [address, guide, heading, text]: lists instead of objects, because field names would be a third of the file. */
function searchEntries(
  address: string,
  files: readonly string[],
  guides: readonly RenderedGuide[],
): string[][] {
  return guides.flatMap(({ title, sections }, at) =>
    sections.map(({ id, heading, text }, index) => {
      const page = addressOfGuide(address, files[at] ?? START);
      return [index === 0 ? page : `${page}#${id}`, title, heading, text];
    }),
  );
}

async function filesOf(folder: string, ending: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(ending));
}

function listedIn(start: string): string[] {
  return [...start.matchAll(/^\d+\. \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, file = '']) => file);
}

function nameOfPage(file: string): string {
  return file === START ? 'index.html' : file.replace(/\.md$/, '.html');
}

function addressOfGuide(address: string, file: string): string {
  return file === START ? address : `${address}/${file.replace(/\.md$/, '')}`;
}

/** Throws for links to other files of the repository, because these are not on the site. */
function siteAddress(
  link: string,
  o: {
    readonly address: string;
    readonly files: readonly string[];
    readonly pictures: readonly string[];
  },
): string {
  const [path = '', section] = link.split('#', 2);
  const hash = section === undefined ? '' : `#${section}`;
  if (/^https?:/.test(link) || path.startsWith('/') || path === '') return link;
  if (o.files.includes(path)) return addressOfGuide(o.address, path) + hash;
  const picture = /^\.\.\/test-pictures\/(.+)$/.exec(path)?.[1];
  if (picture !== undefined && o.pictures.includes(picture)) return `/docs/test-pictures/${picture}`;
  return fail(`a guide links to ${link}, which is not on the site`);
}

function fail(message: string): never {
  throw new Error(message);
}
