import './early.ts';
import '../../ui/theme/theme.css';
import '../../ui/parts.css';
import '../../ui/frame.css';
import './portal.css';
import { render } from 'preact';
import { createQueries } from '../../ui/calls/queries.ts';
import { App } from './app.tsx';
import { beginPage } from './pages.tsx';

/** Longer, and people would see an empty page. */
const MAX_WAIT_MS = 300;

const queries = createQueries((status) => status === 0 || status >= 500);
const begun = beginPage(location.pathname, queries);
// A page whose script and session are there at once is drawn once, and not as a skeleton first.
await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
const root = document.getElementById('portal');
if (root !== null) render(<App queries={queries} />, root);
