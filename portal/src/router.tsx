import { createRouter } from '@tanstack/react-router';
import { routeTree } from './routes/tree.js';
import { Loading } from './ui/loading.js';
import { focusHeading } from './ui/page.js';

export const router = createRouter({
  routeTree,
  basepath: '/portal',
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// The files of a page are gone once a newer build is served. Who opens such a page gets the new build with it.
window.addEventListener('vite:preloadError', (event) => {
  event.preventDefault();
  window.location.reload();
});

let isFirst = true;
router.subscribe('onRendered', ({ pathChanged }) => {
  if (pathChanged && !isFirst) focusHeading();
  isFirst = false;
});
