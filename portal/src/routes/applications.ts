import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { frameRoute } from './frame.js';
import { logSearch } from './log-search.js';

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

const testers = createRoute({
  getParentRoute: () => application,
  path: 'testers',
  component: lazyRouteComponent(() => import('../pages/testers/testers.js'), 'Testers'),
});

const audit = createRoute({
  getParentRoute: () => application,
  path: 'audit',
  validateSearch: logSearch,
  component: lazyRouteComponent(() => import('../pages/audit/application-log.js'), 'ApplicationLog'),
});

export const applicationRoutes = [list, application.addChildren([start, general, testers, audit])] as const;
