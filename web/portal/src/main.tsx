import '../../ui/theme/theme.css';
import '../../ui/parts.css';
import '../../ui/frame.css';
import './portal.css';
import { render } from 'preact';
import { createQueries } from '../../ui/calls/queries.ts';
import { App } from './app.tsx';
import { beginPage } from './pages.tsx';

/** Longer, and people would see an empty page. */
const MAX_WAIT_MS = 100;

const queries = createQueries((status) => status === 0 || status >= 500);
// A page whose script and session are there at once is drawn once, and not as a skeleton first.
const waited = new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS));
await Promise.race([beginPage(location.pathname, queries), waited]);
const root = document.getElementById('portal');
if (root !== null) render(<App queries={queries} />, root);
