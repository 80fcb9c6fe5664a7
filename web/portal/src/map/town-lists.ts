/** The lists of towns for the search: one for each two letters with which a word of a town's name begins. */
import loaders from 'virtual:map-data/town-lists';
import { beginningsOf, type Cities, type City, nameOf, readCities } from './cities.ts';

/** People type a town and its country; more words would load more lists. */
const MOST_LISTS = 4;

const known = new Map<string, Promise<Cities>>();

/** All towns that can fit the text, the largest first. */
export async function townsFor(text: string): Promise<Cities> {
  const lists = await Promise.all(beginningsOf(text).slice(0, MOST_LISTS).map(listOf));
  const [first = [], ...others] = lists;
  if (others.length === 0) return first;
  const towns = new Map<string, City>();
  for (const town of lists.flat()) towns.set(`${nameOf(town)} ${town.latitude} ${town.longitude}`, town);
  return [...towns.values()].toSorted((a, b) => b.thousands - a.thousands);
}

function listOf(letters: string): Promise<Cities> {
  const loading = known.get(letters) ?? load(letters);
  known.set(letters, loading);
  loading.catch(() => known.delete(letters));
  return loading;
}

async function load(letters: string): Promise<Cities> {
  const loader = loaders[letters];
  return loader === undefined ? [] : readCities((await loader()).default);
}
