/** The token of a mailed link. It follows the `#` of the address, so that it does not appear in server logs or referrers. */
import { useEffect, useState } from 'preact/hooks';

/** '' when there is none. Removes the token from the address bar, so that it does not stay in the history, bookmarks or screenshots. */
export function useOneTimeToken(): string {
  const [token, setToken] = useState('');
  useEffect(() => {
    const take = () => {
      if (location.hash.length < 2) return;
      setToken(location.hash.slice(1));
      history.replaceState(null, '', location.pathname);
    };
    take();
    // Opening another link in this tab changes only the fragment.
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return token;
}
