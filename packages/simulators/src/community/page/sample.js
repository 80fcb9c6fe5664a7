const form = document.querySelector('#member');
const state = document.querySelector('#state');
const list = document.querySelector('#offers');
const card = document.querySelector('#card').content;
const seen = new Set();

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

// A card counts as seen when half of it is on the screen. The tokens of all cards are sent together, once a second.
const watch = new IntersectionObserver(
  (entries) => entries.filter((e) => e.isIntersecting).forEach((e) => seen.add(e.target.dataset.token)),
  { threshold: 0.5 },
);
setInterval(() => {
  const tokens = [...seen].slice(0, 500);
  if (tokens.length === 0) return;
  tokens.forEach((token) => seen.delete(token));
  // Tried again at the next second; a token counts once, however often it is sent.
  ask('seen', { view_tokens: tokens }).catch(() => tokens.forEach((token) => seen.add(token)));
}, 1000);

function show(offer) {
  const article = card.cloneNode(true).firstElementChild;
  const put = (selector, text) => (article.querySelector(selector).textContent = text);
  article.querySelector('img').src = offer.image;
  put('h2', offer.title);
  put('.name', `${offer.advertised_name} · ${offer.category.category_name}`);
  put('.text', offer.description);
  put('.terms', offer.terms_and_conditions);
  article.querySelector('a').href = offer.click_url;
  article.dataset.token = offer.view_token;
  watch.observe(article);
  return article;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void showOffers();
});

async function showOffers() {
  const { latitude, longitude, gender, interests } = form;
  const ids = (interests.value.match(/\d+/g) ?? []).map(Number);
  const member = {
    latitude: +latitude.value,
    longitude: +longitude.value,
    gender: gender.value,
    interests: ids,
  };
  try {
    const { placements } = await ask('offers', { ...member, wanted: 6 });
    list.replaceChildren(...placements.map(show));
    state.textContent = placements.length === 0 ? 'No offer for this member now.' : '';
  } catch (error) {
    state.textContent = error.message;
  }
}
