/**
 * `/portal/sign-in#token`: the link of a mail. Nothing is used up before the button is pressed, because scanners of mails
 * open links, and some run what they find there.
 */
import { call, element, explain, notify, whileBusy } from './portal-api.js';

let token = '';

/** Out of the address bar at once, so that it stays in no history, bookmark or screenshot. */
function takeToken() {
  if (location.hash.length < 2) return;
  token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}

function show() {
  element('with-link').hidden = token === '';
  if (token === '')
    notify('There is no sign-in link here. Open the whole link from the mail, or ask for a new one.', {
      isProblem: true,
    });
}

async function complete() {
  const reply = await call('POST', '/sign-in/complete', { json: { token } });
  if (reply.status === 200) return location.replace('/portal');
  // The link was refused; after anything else it may still be good.
  if (reply.status === 400 || reply.status === 401) {
    token = '';
    element('with-link').hidden = true;
  }
  notify(explain(reply), { isProblem: true });
}

const button = element('use-link');
button.addEventListener('click', () => void whileBusy(button, complete));
// Another link opened in this tab changes the fragment only.
addEventListener('hashchange', () => {
  takeToken();
  notify('');
  show();
});
takeToken();
show();
