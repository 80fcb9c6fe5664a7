import '../../ui/theme/theme.css';
import '../../ui/parts.css';
import '../../ui/frame.css';
import './console.css';
import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('console');
if (root !== null) render(<App />, root);
