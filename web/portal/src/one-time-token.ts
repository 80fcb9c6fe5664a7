/** The token of a mailed link, behind the `#` of its address, so that it reaches no server's log and no referrer. */
import { useEffect, useState } from 'preact/hooks';

/** '' when there is none. It is taken out of the address bar at once: it stays in no history, bookmark or screenshot. */
export function useOneTimeToken(): string {
  const [token, setToken] = useState('');
  useEffect(() => {
    const take = () => {
      if (location.hash.length < 2) return;
      setToken(location.hash.slice(1));
      history.replaceState(null, '', location.pathname);
    };
    take();
    // Another link opened in this tab changes the fragment only.
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return token;
}
