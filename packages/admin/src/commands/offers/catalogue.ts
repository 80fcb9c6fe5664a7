/** Commands for categories and interests. The catalogue is replaced as a whole, and only if nobody has changed it meanwhile. */
import {
  type Catalogue,
  type CatalogueReplacement,
  catalogueReplacement,
  catalogueReply,
} from '@offer-ads/contracts/admin/offers-api';
import { z } from 'zod';
import { type CatalogueChange, catalogueChanges, entriesOf } from '../../catalogue-changes.ts';
import { type Command, command, id, text, UsageError, yesOrNo } from '../../command.ts';
import { readText, writeNew } from '../../files.ts';
import type { Tools } from '../../tools.ts';

const file = text.describe('FILE.json');
const organisations = z
  .string()
  .regex(/^(all|none|\d{1,10}(,\d{1,10})*)$/, 'must be all, none or ids such as 3,7')
  .transform((word) => (word === 'all' ? null : word === 'none' ? [] : word.split(',').map(Number)))
  .describe('all|none|ID,ID...');

export const catalogueCommands: readonly Command[] = [
  command({
    name: 'catalogue list',
    summary: 'List the categories and interests, inactive ones too',
    options: {},
    run: async (_o, tools) => {
      const catalogue = await readCatalogue(tools);
      return { catalogue: entriesOf(catalogue), version: catalogue.version };
    },
  }),
  command({
    name: 'catalogue export',
    summary: 'Write the catalogue to a file, for editing and a later import',
    options: { file },
    operand: 'file',
    run: async (o, tools) => {
      const catalogue = await readCatalogue(tools);
      writeNew(o.file, `${JSON.stringify(catalogue, null, 2)}\n`);
      return { file: o.file, version: catalogue.version };
    },
  }),
  command({
    name: 'catalogue diff',
    summary: 'Show what an import would change, and change nothing',
    options: { file },
    operand: 'file',
    run: async (o, tools) => {
      const wanted = readReplacement(o.file);
      const before = await readCatalogue(tools);
      const isStale = wanted.version !== undefined && wanted.version !== before.version;
      return {
        changes: catalogueChanges(before, wanted),
        version: before.version,
        warning: isStale ? `the file has version ${wanted.version}, so its import will be refused` : null,
      };
    },
  }),
  command({
    name: 'catalogue import',
    summary: 'Replace the catalogue by a file; entries that are not in it become inactive',
    options: { file },
    operand: 'file',
    run: async (o, tools) => replace(tools, readReplacement(o.file)),
  }),
  command({
    name: 'category set',
    summary: 'Add or change one category; options that are not given keep their value',
    options: {
      category: id,
      name: text.optional(),
      active: yesOrNo.optional(),
      orgs: organisations.optional(),
    },
    operand: 'category',
    run: async (o, tools) => {
      const { categories, ...others } = await readCatalogue(tools);
      const known = categories.find(({ categoryId }) => categoryId === o.category);
      const category = {
        categoryId: o.category,
        categoryName: o.name ?? known?.categoryName ?? missingName('category', o.category),
        active: o.active ?? known?.active ?? true,
        organisationIds: o.orgs === undefined ? (known?.organisationIds ?? null) : o.orgs,
      };
      const unchanged = categories.filter((other) => other !== known);
      return replace(tools, checked({ ...others, categories: [...unchanged, category] }));
    },
  }),
  command({
    name: 'interest set',
    summary: 'Add or change one interest; options that are not given keep their value',
    options: { interest: id, name: text.optional(), active: yesOrNo.optional() },
    operand: 'interest',
    run: async (o, tools) => {
      const { interests, ...others } = await readCatalogue(tools);
      const known = interests.find(({ interestId }) => interestId === o.interest);
      const interest = {
        interestId: o.interest,
        interestName: o.name ?? known?.interestName ?? missingName('interest', o.interest),
        active: o.active ?? known?.active ?? true,
      };
      const unchanged = interests.filter((other) => other !== known);
      return replace(tools, checked({ ...others, interests: [...unchanged, interest] }));
    },
  }),
];

/** Returns the changes. If the catalogue was changed after it was read, nothing is changed. */
async function replace(
  tools: Tools,
  wanted: CatalogueReplacement,
): Promise<{ changes: CatalogueChange[]; version: number }> {
  const before = await readCatalogue(tools);
  const json = { ...wanted, version: wanted.version ?? before.version };
  const changes = catalogueChanges(before, wanted);
  if (changes.length === 0 && json.version === before.version) return { changes, version: before.version };
  const reply = await tools.call('offers', 'PUT /admin/catalogue', { json });
  return { changes, version: catalogueReply.parse(reply).version };
}

async function readCatalogue({ call }: Tools): Promise<Catalogue> {
  return catalogueReply.parse(await call('offers', 'GET /admin/catalogue'));
}

/** Checked before anything is sent, so that the message names the wrong file. */
function readReplacement(path: string): CatalogueReplacement {
  const text = readText(path);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as SyntaxError).message}`);
  }
  return checked(content, `${path}: `);
}

function checked(content: unknown, where = ''): CatalogueReplacement {
  const parsed = catalogueReplacement.safeParse(content);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'the whole'} ${message}`,
  );
  throw new UsageError(`${where}${problems.join('; ')}`);
}

function missingName(kind: string, id: number): never {
  throw new UsageError(`there is no ${kind} ${id} yet, so it needs a --name`);
}
