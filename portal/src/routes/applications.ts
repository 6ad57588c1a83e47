import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { frameRoute } from './frame.js';

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: 'applications',
  component: lazyRouteComponent(() => import('../pages/applications/list.js'), 'Applications'),
});

const application = createRoute({
  getParentRoute: () => frameRoute,
  path: 'applications/$applicationId',
  component: lazyRouteComponent(() => import('../pages/applications/layout.js'), 'ApplicationLayout'),
});

const start = createRoute({
  getParentRoute: () => application,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/applications/$applicationId/general', params, replace: true });
  },
});

const general = createRoute({
  getParentRoute: () => application,
  path: 'general',
  component: lazyRouteComponent(() => import('../pages/applications/general.js'), 'General'),
});

const installation = createRoute({
  getParentRoute: () => application,
  path: 'installation',
  component: lazyRouteComponent(() => import('../pages/applications/installation.js'), 'Installation'),
});

const oauth2 = createRoute({
  getParentRoute: () => application,
  path: 'oauth2',
  component: lazyRouteComponent(() => import('../pages/applications/oauth2.js'), 'OAuth2'),
});

const bot = createRoute({
  getParentRoute: () => application,
  path: 'bot',
  component: lazyRouteComponent(() => import('../pages/applications/bot.js'), 'Bot'),
});

export const applicationRoutes = [list, application.addChildren([start, general, installation, oauth2, bot])] as const;
