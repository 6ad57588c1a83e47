import { createRouter } from '@tanstack/react-router';
import { routeTree } from './routes/tree.js';
import { Broken } from './ui/broken.js';
import { Loading } from './ui/loading.js';
import { focusHeading } from './ui/page.js';

export const router = createRouter({
  routeTree,
  basepath: '/portal',
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: Broken,
  defaultPendingMs: 150,
  // The pending component fades in, so it cannot flash.
  defaultPendingMinMs: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

let isFirst = true;
router.subscribe('onRendered', ({ pathChanged }) => {
  if (pathChanged && !isFirst) focusHeading();
  isFirst = false;
});
