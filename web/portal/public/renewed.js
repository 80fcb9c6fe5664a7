// While a release goes out, the page may come from a replica of one release and its script be asked of one of the other, which does not
// have it. Nobody would see anything: the page is loaded anew, after growing pauses that outlast the replacement of a replica.
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000];
const counted = 'loaded-anew';
let failed = false;

const note = ({ target }) => {
  if (target instanceof HTMLScriptElement || target instanceof HTMLLinkElement) failed = true;
};
// Such an error does not bubble.
addEventListener('error', note, true);

addEventListener('load', () => {
  // What is loaded later says itself that it did not come, and nobody loses what they have begun to write.
  removeEventListener('error', note, true);
  const before = failed ? triesBefore() : 0;
  const pauseMs = pausesMs[before];
  const isCounted = count(failed ? before + 1 : 0);
  if (!failed) return;
  // What is not counted, because storage is forbidden, might go on for ever.
  if (isCounted && pauseMs !== undefined) setTimeout(() => location.reload(), pauseMs);
  else document.body.prepend('This page could not be loaded. Please load it anew in a minute.');
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
