import { createRoute } from '@tanstack/react-router';
import { page } from './page.js';
import { rootRoute } from './root.js';

export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  component: page(() => import('../pages/frame.js'), 'Frame'),
});

const home = createRoute({
  getParentRoute: () => frameRoute,
  path: '/',
  component: page(() => import('../pages/home/home.js'), 'Home'),
});

const account = createRoute({
  getParentRoute: () => frameRoute,
  path: 'account',
  component: page(() => import('../pages/account/account.js'), 'Account'),
});

const invite = createRoute({
  getParentRoute: () => frameRoute,
  path: 'invite/$code',
  component: page(() => import('../pages/invite.js'), 'Invite'),
});

export const ownRoutes = [home, account, invite] as const;
