/**
 * The name that members see with an offer: `advertised_name` or the organisation's trading name. The same rules apply to both
 * (specification, Create; decisions 44, trading names, and 48, fields of the form).
 */

/** Blanks and invisible characters: an address behind them still looks like an address, and a name of only these is empty. */
const unseen = '[\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}]*';
const nothingSeen = new RegExp(`^${unseen}$`, 'u');
const addressInFront = new RegExp(`^${unseen}(https?://|www\\.)`, 'iu');

export function showsNothing(text: string): boolean {
  return nothingSeen.test(text);
}

/** These characters can make one text look like another. Right-to-left scripts do not need them. */
export function turnsReading(text: string): boolean {
  return /[\u202a-\u202e\u2066-\u2069]/.test(text);
}

/** What is wrong with the name, apart from its length; each message follows the field's name. */
export function faultsOfShownName(text: string): string[] {
  return [
    ...(addressInFront.test(text) ? ['must not start with http://, https:// or www.'] : []),
    ...(/[<>]|&#?\w+;/.test(text) ? ['must not contain HTML'] : []),
    ...(/[\p{Cc}\u2028\u2029]/u.test(text) ? ['must not contain line breaks or control characters'] : []),
    ...(turnsReading(text) ? ['must not turn the direction of reading'] : []),
  ];
}
