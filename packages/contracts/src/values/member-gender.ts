/** The genders of members. On its own, so that the thread that builds an audience loads nothing else. */
export const memberGenders = ['Male', 'Female', 'Non-binary'] as const;
export type MemberGender = (typeof memberGenders)[number];
