/** What may stand in a path in place of an offer's id (decision 20, offers not found), as it is written there. */
export const idsOfNoOffer = [
  'x',
  '0',
  '-1',
  '1.5',
  '1.0',
  '1e3',
  '0x1',
  '%2B1',
  '%201',
  '2147483648',
  '99999999999999999999',
  // Digits of other scripts, and an escape that means nothing, as the gateway passes it on.
  '%D9%A1',
  '%EF%BC%91',
  '%25FF',
  'null',
  '__proto__',
  // Nobody's.
  '424242',
];
