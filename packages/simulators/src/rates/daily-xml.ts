/** The European Central Bank's `eurofxref-daily.xml`, with realistic rates. */

/** Units of the currency per euro. Fixed, so that a price can be recomputed by hand. */
const ratesPerEuro: readonly (readonly [currency: string, rate: string])[] = [
  ['USD', '1.1582'],
  ['JPY', '178.93'],
  ['CZK', '24.213'],
  ['DKK', '7.4687'],
  ['GBP', '0.87325'],
  ['HUF', '385.63'],
  ['PLN', '4.2468'],
  ['RON', '5.0874'],
  ['SEK', '11.0110'],
  ['CHF', '0.9282'],
  ['ISK', '146.90'],
  ['NOK', '11.7415'],
  ['TRY', '48.9372'],
  ['AUD', '1.7748'],
  ['BRL', '6.1623'],
  ['CAD', '1.6257'],
  ['CNY', '8.2416'],
  ['HKD', '9.0038'],
  ['IDR', '19301.87'],
  ['ILS', '3.7743'],
  ['INR', '102.6865'],
  ['KRW', '1687.51'],
  ['MXN', '21.2430'],
  ['MYR', '4.8077'],
  ['NZD', '2.0476'],
  ['PHP', '67.9840'],
  ['SGD', '1.5078'],
  ['THB', '37.4910'],
  ['ZAR', '19.8914'],
];

export function dailyXml(date: string, factors: Readonly<Record<string, number>> = {}): string {
  const cubes = ratesPerEuro.map(([currency, rate]) => {
    const factor = factors[currency];
    const shown = factor === undefined ? rate : (Number(rate) * factor).toFixed(5);
    return `\t\t\t<Cube currency='${currency}' rate='${shown}'/>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
\t\t<Cube time='${date}'>
${cubes.join('')}\t\t</Cube>
\t</Cube>
</gesmes:Envelope>
`;
}
