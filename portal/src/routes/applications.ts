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

export const applicationRoutes = [list, application.addChildren([start, general])] as const;
