/** The people of the sign-in simulator: one for each role of the console, and one without any. */

export type Person = {
  readonly subject: string;
  readonly name: string;
  readonly email: string;
  readonly groups: readonly string[];
};

const of = (name: string, group: string | null): Person => ({
  subject: `simulated-${name.toLowerCase()}`,
  name,
  email: `${name.toLowerCase()}@platform.example`,
  groups: group === null ? ['everyone'] : ['everyone', group],
});

export const people: readonly Person[] = [
  of('Ada', 'ads-administrators'),
  of('Sam', 'ads-support'),
  of('Fay', 'ads-finance'),
  of('Vera', 'ads-viewers'),
  of('Nora', null),
];

/** The console's setting CONSOLE_OIDC_ROLES for these groups. */
export const simulatedRoles =
  'ads-administrators=administrator,ads-support=support,ads-finance=finance,ads-viewers=viewer';
