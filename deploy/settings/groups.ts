/** Every setting once: what all services have, what several have, and what is one's own. */
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { defaultOf, factsOf } from '@offer-ads/platform/config/setting-facts';
import type { z } from 'zod';
import { type Program, programs, schemas } from './schemas.ts';

export type Setting = {
  readonly name: string;
  readonly description: string;
  readonly secret: boolean;
  readonly required: boolean;
  readonly example: string | undefined;
  /** What is taken without it, in words or as a value. */
  readonly otherwise: string | undefined;
  /** Who reads it. */
  readonly by: readonly Program[];
};
export type Group = { readonly title: string; readonly settings: readonly Setting[] };

export function settingsIn(schema: z.ZodObject, by: readonly Program[] = []): Setting[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description = '', secret = false, example, without } = factsOf(field);
    const { required, byDefault } = defaultOf(field);
    return { name, description, secret, required, example, otherwise: without ?? byDefault, by };
  });
}

/** The same name may mean something else elsewhere, as PUBLIC_URL does: then it is another setting. */
export function settingGroups(): Group[] {
  const known = new Map<string, Setting>();
  for (const program of programs)
    for (const setting of settingsIn(schemas[program], [program])) {
      const { by: _, ...rest } = setting;
      const key = JSON.stringify(rest);
      known.set(key, { ...rest, by: [...(known.get(key)?.by ?? []), program] });
    }
  const all = [...known.values()];
  const ofAll = all.filter(({ by }) => serviceNames.every((name) => by.includes(name)));
  const ofSeveral = all.filter((setting) => setting.by.length > 1 && !ofAll.includes(setting));
  const ownOf = (program: Program) => all.filter(({ by }) => by.length === 1 && by[0] === program);
  return [
    { title: 'Every service', settings: ofAll },
    { title: 'Several services', settings: ofSeveral },
    ...serviceNames.map((name) => ({ title: name, settings: ownOf(name) })),
    { title: 'The admin tool', settings: ownOf('admin') },
    { title: "The staff's console", settings: ownOf('console') },
  ];
}
