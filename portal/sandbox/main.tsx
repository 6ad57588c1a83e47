import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../src/ui/tokens.css';
import '../src/ui/look.css';
import './page.css';
import { Page } from './page.js';

const token = new URLSearchParams(location.hash.slice(1)).get('token');
// A changed token is another instance.
addEventListener('hashchange', () => location.reload());

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Page token={token} />
    </StrictMode>,
  );
}
