const form = document.querySelector('#member');
const state = document.querySelector('#state');
const list = document.querySelector('#offers');
const card = document.querySelector('#card').content;

async function ask(path, body) {
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const reply = await fetch(`/${form.mode.value}/${path}`, options);
  const answer = await reply.json();
  if (!reply.ok) throw new Error(answer.message);
  return answer;
}

// A card counts as seen when half of it was on the screen for a second. The tokens of all such cards are sent together.
const onScreen = new Map();
const seen = new Set();
const watch = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting, time } of entries)
      if (isIntersecting) onScreen.set(target, time);
      else onScreen.delete(target);
  },
  { threshold: 0.5 },
);
setInterval(() => {
  for (const [article, since] of onScreen)
    if (performance.now() - since >= 1000) {
      seen.add(article.dataset.token);
      onScreen.delete(article);
      watch.unobserve(article);
    }
  const tokens = [...seen].slice(0, 500);
  if (tokens.length === 0) return;
  tokens.forEach((token) => seen.delete(token));
  // Tried again at the next turn; a token counts once, however often it is sent.
  ask('seen', { view_tokens: tokens }).catch(() => tokens.forEach((token) => seen.add(token)));
}, 500);

function show(offer) {
  const article = card.cloneNode(true).firstElementChild;
  const put = (selector, text) => (article.querySelector(selector).textContent = text);
  const img = article.querySelector('img');
  // Before src, so that the browser loads one picture only: the smallest that is wide enough here.
  img.srcset = offer.image_renditions.map(({ url, width }) => `${url} ${width}w`).join(', ');
  img.src = offer.image;
  put('h2', offer.title);
  put('.name', `${offer.advertised_name} · ${offer.category.category_name}`);
  put('.text', offer.description);
  put('.terms', offer.terms_and_conditions);
  article.querySelector('a').href = offer.click_url;
  article.dataset.token = offer.view_token;
  watch.observe(article);
  return article;
}

async function showOffers() {
  const { latitude, longitude, gender, interests } = form;
  const ids = (interests.value.match(/\d+/g) ?? []).map(Number);
  const member = {
    latitude: +latitude.value,
    longitude: +longitude.value,
    gender: gender.value,
    interests: ids,
  };
  list.ariaBusy = 'true';
  try {
    const { placements } = await ask('offers', { ...member, wanted: 6, image_widths: [320, 640, 1080] });
    list.replaceChildren(...placements.map(show));
    state.textContent = placements.length === 0 ? 'No offer for this member now.' : '';
  } catch (error) {
    state.textContent = error.message;
  }
  list.ariaBusy = 'false';
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void showOffers();
});
void showOffers();
