import '../../ui/theme/theme.css';
import '../../ui/parts.css';
import '../../ui/frame.css';
import './portal.css';
import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('portal');
if (root !== null) render(<App />, root);
