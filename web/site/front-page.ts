/** The front page, `/`: what the service does, and the ways into it. */
import { fontAtOnce, sitePage } from '@offer-ads/contracts/portal/site-page';
import {
  ArrowRight,
  BookOpen,
  type IconNode,
  LayoutDashboard,
  Megaphone,
  ReceiptText,
  RotateCcw,
  ShieldCheck,
  Wallet,
} from 'lucide';
import { iconHtml } from '../ui/icon-html.ts';

type Point = { readonly icon: IconNode; readonly title: string; readonly text: string };

const reasons: readonly Point[] = [
  {
    icon: ReceiptText,
    title: 'The price before you buy',
    text: 'A thousand members for a day cost 24 pounds, without VAT. You see what your offer costs and how many members it reaches, and it is shown to exactly these.',
  },
  {
    icon: Wallet,
    title: 'By card or from a balance',
    text: 'Pay each offer by a card link, or fill a prepaid balance once and pay from it.',
  },
  {
    icon: RotateCcw,
    title: 'Unused time comes back',
    text: 'Delete an offer, and the time in which it did not run is credited to your balance.',
  },
  {
    icon: ShieldCheck,
    title: 'Members stay private',
    text: 'You learn how many members there are, how often they see your offer and click on it. Nothing else.',
  },
];

const doors: readonly (Point & { readonly address: string })[] = [
  {
    icon: LayoutDashboard,
    title: 'Advertiser portal',
    address: '/portal',
    text: 'Create offers, see their views and clicks, manage your balance, people and API keys.',
  },
  {
    icon: BookOpen,
    title: 'Guides for developers',
    address: '/docs',
    text: 'Buy offers by API: a quick start, guides for every step, and the reference of all endpoints.',
  },
  {
    icon: Megaphone,
    title: 'Guides for community platforms',
    address: '/docs/community',
    text: 'Show members the offers that are meant for them, and count views and clicks.',
  },
];

export function frontPage({ font }: { readonly font: string }): string {
  return sitePage({
    title: 'Offer Ads: offers for people nearby',
    description: 'Advertise offers to members of a dating community near a place.',
    head: [
      fontAtOnce(font),
      '<script src="/portal/theme.js"></script>',
      '<script type="module" src="/assets/calculator.js"></script>',
    ],
    main: `<section class="hero">
<div class="hero-text">
<h1>Offers for people nearby</h1>
<p class="lead">Show your offer to members of a dating community near the place that you choose. You see the price and the number of members before you buy.</p>
<p class="row">
<a class="button" href="/portal/sign-up">Register your organisation</a>
<a class="button quiet" href="/docs/quick-start">Quick start for developers ${iconHtml(ArrowRight)}</a>
</p>
</div>
<div class="hero-picture">
${drawing()}
${offerCard()}
</div>
</section>
<ul class="reasons">
${reasons.map(({ icon, title, text }) => `<li>${iconHtml(icon)}<h2>${title}</h2><p>${text}</p></li>`).join('\n')}
</ul>
${calculator}
<h2 class="doors-title">Where do you want to go?</h2>
<ul class="doors">
${doors.map(({ icon, title, text, address }) => `<li class="card">${iconHtml(icon)}<h3><a href="${address}">${title}</a></h3><p>${text}</p></li>`).join('\n')}
</ul>`,
  });
}

/** A place with its circle: members inside it are reached, the others are not. */
function drawing(): string {
  const members = [
    [92, 96],
    [150, 74],
    [204, 108],
    [118, 156],
    [176, 190],
    [222, 172],
    [140, 226],
    [92, 208],
    [240, 228],
  ];
  const others = [
    [24, 60],
    [300, 48],
    [316, 196],
    [36, 280],
    [296, 300],
    [60, 20],
    [200, 316],
    [330, 120],
  ];
  const dots = (places: readonly (readonly number[])[], kind: string) =>
    places.map(([x, y]) => `<circle class="${kind}" cx="${x}" cy="${y}" r="5"/>`).join('');
  return `<svg class="hero-map" viewBox="0 0 360 340" aria-hidden="true">
<rect class="land" x="0" y="0" width="360" height="340" rx="20"/>
<path class="street" d="M-10 120 L140 150 L370 96 M70 -10 L140 150 L120 350 M250 -10 L230 130 L290 350 M-10 260 L126 250 L370 270"/>
<circle class="reach" cx="164" cy="152" r="116"/>
${dots(others, 'other')}${dots(members, 'member')}
<circle class="place" cx="164" cy="140" r="11"/>
<g transform="translate(24 252)"><rect class="label" width="172" height="66" rx="12"/><text class="label-small" x="16" y="26">3,518 members, a week</text><text class="label-large" x="16" y="50">GBP 591.02</text></g>
</svg>`;
}

/** As members see an offer (web/portal/src/pages/offers/member-card.tsx), with a drawn picture. */
function offerCard(): string {
  const slices = [0, 45, 90, 135].map(
    (turn) => `<path class="cut" d="M-62 0H62" transform="rotate(${turn})"/>`,
  );
  const toppings = [
    [-30, -22],
    [8, -40],
    [34, -8],
    [-40, 16],
    [-6, 8],
    [22, 34],
    [-18, 44],
  ].map(([x, y]) => `<circle class="topping" cx="${x}" cy="${y}" r="8"/>`);
  return `<figure class="member-card" aria-label="An offer as members see it">
<svg class="square" viewBox="0 0 200 200" aria-hidden="true"><rect class="table" width="200" height="200"/>
<g transform="translate(100 100)"><circle class="plate" r="84"/><circle class="crust" r="68"/><circle class="cheese" r="60"/>${toppings.join('')}${slices.join('')}</g></svg>
<p class="small">Northwind Pizza</p>
<p><strong>Two for one, Tuesday to Thursday</strong></p>
<p class="small">Bring a date: the second pizza is on us.</p>
</figure>`;
}

/** Filled in for its first values, so that it also says something without the script. */
const calculator = `<form class="calculator card" aria-labelledby="calculator-title">
<div><h2 id="calculator-title">What would it cost?</h2>
<p>24 pounds for 1,000 members a day, without VAT. How many members there are near your place, you see in the portal before you pay.</p></div>
<label>Reach <span data-of="members">3,518 members</span><input type="range" name="members" min="100" max="10000" step="1" value="3518"></label>
<label>Shown for <span data-of="days">7 days</span><input type="range" name="days" min="1" max="30" value="7"></label>
<p class="price" aria-live="polite"><span data-of="price">GBP 591.02</span></p>
</form>`;
