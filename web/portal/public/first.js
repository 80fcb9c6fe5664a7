// Runs while the scripts of the portal are still loaded.

// The first format of each kind takes a slow phone a tenth of a second.
Intl.NumberFormat('en-GB').format(0);
Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(0);

// During a release the page may come from one replica, and its script be requested from a replica of the other release, which does not
// have it. The page would stay empty. So it is loaded again, after growing pauses that are longer than the replacement of a replica.
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000];
const counted = 'loaded-anew';
let failed = false;

const note = ({ target }) => {
  if (target instanceof HTMLScriptElement || target instanceof HTMLLinkElement) failed = true;
};
// Such an error does not bubble.
addEventListener('error', note, true);

addEventListener('load', () => {
  // Scripts that are loaded later show their own message, so that people do not lose what they have typed.
  removeEventListener('error', note, true);
  const before = failed ? triesBefore() : 0;
  const pauseMs = pausesMs[before];
  const isCounted = count(failed ? before + 1 : 0);
  if (!failed) return;
  // Without storage nothing is counted, and the page would be loaded again for ever.
  if (isCounted && pauseMs !== undefined) setTimeout(() => location.reload(), pauseMs);
  else document.body.prepend('This page could not be loaded. Please reload it in a minute.');
});

function triesBefore() {
  try {
    return Number(sessionStorage.getItem(counted)) || 0;
  } catch {
    return 0;
  }
}

function count(tries) {
  try {
    sessionStorage.setItem(counted, `${tries}`);
    return true;
  } catch {
    return false;
  }
}
