/** Drew the pictures of docs/test-pictures. Their bytes are published: what is drawn anew needs another name and another hash. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const folder = fileURLToPath(new URL('../docs/test-pictures/', import.meta.url));
const side = 540;

type Light = {
  readonly sky: readonly [top: string, bottom: string];
  readonly sun: string;
  /** From far to near. */
  readonly hills: readonly [string, string, string];
  readonly parasol: readonly [string, string];
};

const morning: Light = {
  sky: ['#7cc6e8', '#fdf1d6'],
  sun: '#ffd873',
  hills: ['#a9d39b', '#79b97b', '#4f9a63'],
  parasol: ['#f2f0e6', '#e8785a'],
};
const dusk: Light = {
  sky: ['#2b2d5b', '#e3986e'],
  sun: '#f4c9a0',
  hills: ['#5b4f78', '#43406a', '#2d3156'],
  parasol: ['#8b84a8', '#5d4d78'],
};

const tick =
  '<path d="M-34 2 L-10 27 L36 -24" fill="none" stroke="#fff" stroke-width="17" stroke-linecap="round" stroke-linejoin="round"/>';
const bar = '<rect x="-40" y="-9" width="80" height="18" rx="9" fill="#fff"/>';

/** A parasol and a table on a hill: a café that could well be advertised. */
function cafe({ sky, sun, hills, parasol }: Light, badge: { colour: string; sign: string }): Buffer {
  const panels = [0, 1, 2, 3, 4, 5].map((panel) => {
    const [left, right] = [-120 + 40 * panel, -80 + 40 * panel];
    return `<path d="M0 -78 Q${left * 0.8} -60 ${left} 0 H${right} Q${right * 0.8} -60 0 -78Z" fill="${parasol[panel % 2]}"/>`;
  });
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="${sky[0]}"/><stop offset="0.75" stop-color="${sky[1]}"/></linearGradient>
    <radialGradient id="glow"><stop stop-color="${sun}" stop-opacity="0.8"/><stop offset="1" stop-color="${sun}" stop-opacity="0"/></radialGradient>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="392" cy="168" r="150" fill="url(#glow)"/><circle cx="392" cy="168" r="52" fill="${sun}"/>
    <path d="M0 330 Q120 240 260 310 T540 270 V540 H0Z" fill="${hills[0]}"/>
    <path d="M0 390 Q160 300 330 380 T540 350 V540 H0Z" fill="${hills[1]}"/>
    <path d="M0 440 Q200 370 380 430 T540 420 V540 H0Z" fill="${hills[2]}"/>
    <g transform="translate(178 268)">
      <rect x="-4" y="-80" width="8" height="240" rx="4" fill="#6b5244"/>${panels.join('')}
      <ellipse cx="0" cy="92" rx="84" ry="16" fill="#f7f3ea"/><ellipse cx="0" cy="98" rx="84" ry="16" fill="#d9d2c2"/><ellipse cx="0" cy="91" rx="84" ry="16" fill="#fbf8f1"/>
      <g fill="#c9543e"><path d="M30 66 h26 v12 q0 12 -13 12 t-13 -12Z"/><path d="M56 70 q12 0 10 9 t-12 6" fill="none" stroke="#c9543e" stroke-width="4"/></g>
    </g>
    <g transform="translate(428 428)"><circle r="74" fill="#fff"/><circle r="65" fill="${badge.colour}"/>${badge.sign}</g>
  </svg>`);
}

const allowed = cafe(morning, { colour: '#2f9e62', sign: tick });
const refused = cafe(dusk, { colour: '#d23b3b', sign: bar });
await writeFile(
  `${folder}always-allowed.png`,
  await sharp(allowed).png({ palette: true, effort: 10 }).toBuffer(),
);
await writeFile(`${folder}always-refused.jpg`, await sharp(refused).jpeg({ quality: 85 }).toBuffer());
