/** `/portal`: ask for a sign-in link, or see who is signed in and sign out. */
import { call, element, explain, notify, whileBusy } from './portal-api.js';

const roles = {
  admin: 'Admin: offers, API keys, call log, people, terms and billing',
  developer: 'Developer: API keys and call log',
  marketer: 'Marketer: offers',
};

let csrfToken;

async function load() {
  const reply = await call('GET', '/session');
  if (reply.status === 200) return showSignedIn(reply.body);
  showSignedOut();
  if (reply.status !== 401) notify(explain(reply), { isProblem: true });
}

function showSignedIn(session) {
  csrfToken = session.csrfToken;
  element('person').textContent = session.person.email;
  element('organisation').textContent = nameOf(session.organisation);
  element('role').textContent = roles[session.role] ?? session.role;
  element('other-organisations').replaceChildren(...session.otherOrganisations.map(listed));
  element('others').hidden = session.otherOrganisations.length === 0;
  element('signed-out').hidden = true;
  element('signed-in').hidden = false;
  void loadMails(session);
}

/** Only admins get mails that can be switched off. */
async function loadMails({ role, csrfToken: of }) {
  const form = element('mails');
  form.hidden = true;
  if (role !== 'admin') return;
  const reply = await call('GET', '/mail-preferences');
  // Meanwhile somebody else may have signed in here, or nobody; without the choices the page is good all the same.
  if (reply.status !== 200 || of !== csrfToken) return;
  showMails(reply.body);
  form.hidden = false;
}

function showMails(wanted) {
  for (const choice of choices()) choice.checked = wanted[choice.name] === true;
}

const choices = () => Array.from(element('mails').querySelectorAll('input[type=checkbox]'));

async function saveMails() {
  const json = Object.fromEntries(choices().map(({ name, checked }) => [name, checked]));
  const reply = await call('PUT', '/mail-preferences', { json, csrfToken });
  if (reply.status !== 200) return failed(reply);
  showMails(reply.body);
  notify('Saved. A mail that is on its way may still come.');
}

function showSignedOut() {
  csrfToken = undefined;
  element('signed-in').hidden = true;
  element('signed-out').hidden = false;
}

function nameOf({ name, tradingName }) {
  return name === tradingName ? name : `${name} (${tradingName})`;
}

function listed(organisation) {
  const item = document.createElement('li');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = `Go to ${nameOf(organisation)}`;
  button.addEventListener('click', () => void whileBusy(button, () => switchTo(organisation)));
  item.append(button);
  return item;
}

async function switchTo({ id, name }) {
  const reply = await call('POST', '/session/organisation', { json: { organisationId: id }, csrfToken });
  if (reply.status !== 200) return failed(reply);
  showSignedIn(reply.body);
  notify(`You are now in ${name}.`);
}

async function signOut(path, said) {
  const reply = await call('POST', path, { csrfToken });
  if (reply.status !== 204 && reply.status !== 401) return failed(reply);
  showSignedOut();
  notify(said);
}

/** The session may have ended or changed in another tab. */
async function failed(reply) {
  if (reply.status === 401 || reply.status === 403) await load();
  notify(explain(reply), { isProblem: true });
}

async function ask(form) {
  const reply = await call('POST', '/sign-in', { json: { email: form.elements.email.value } });
  if (reply.status !== 202) return notify(explain(reply), { isProblem: true });
  form.reset();
  notify(reply.body.message);
}

element('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  void whileBusy(form.querySelector('button'), () => ask(form));
});
element('mails').addEventListener('submit', (event) => {
  event.preventDefault();
  void whileBusy(event.currentTarget.querySelector('button'), saveMails);
});
for (const [id, said] of [
  ['sign-out', 'You are signed out.'],
  ['sign-out-everywhere', 'You are signed out here and wherever else you were signed in.'],
]) {
  const button = element(id);
  button.addEventListener('click', () => void whileBusy(button, () => signOut(`/${id}`, said)));
}
// A page that the browser kept may show a session that is over.
addEventListener('pageshow', (event) => {
  if (event.persisted) void load();
});
void load();
