/** What the search for a place gives as examples: places where the demo has members, by the country of the organisation. */

type Examples = { readonly town: string; readonly part: string; readonly postcode: string };

const examples: Readonly<Record<string, Examples>> = {
  GB: { town: 'Manchester', part: 'Soho', postcode: 'M1 2AB' },
  US: { town: 'Chicago', part: 'Brooklyn', postcode: '10001' },
};

const elsewhere: Examples = { town: 'Berlin', part: 'Kreuzberg', postcode: '10115' };

export function examplesFor(country: string): Examples {
  return examples[country] ?? elsewhere;
}
