/** Says that there is no connection, as long as there is none. */
import { useEffect, useState } from 'preact/hooks';

export function Offline() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return (
    <div role="status">
      {!online && (
        <p class="offline">
          You are offline. What is shown may be old, and nothing can be changed meanwhile.
        </p>
      )}
    </div>
  );
}
