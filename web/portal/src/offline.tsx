/** Shows a notice while the browser is offline. */
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
          You are offline. This page may show old data, and you cannot change anything until you are online
          again.
        </p>
      )}
    </div>
  );
}
