import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { frameRoute } from './frame.js';

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: 'servers',
  component: lazyRouteComponent(() => import('../pages/servers/list.js'), 'Servers'),
});

const server = createRoute({
  getParentRoute: () => frameRoute,
  path: 'servers/$guildId',
  component: lazyRouteComponent(() => import('../pages/servers/layout.js'), 'ServerLayout'),
});

const start = createRoute({
  getParentRoute: () => server,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/servers/$guildId/general', params, replace: true });
  },
});

const general = createRoute({
  getParentRoute: () => server,
  path: 'general',
  component: lazyRouteComponent(() => import('../pages/servers/general.js'), 'General'),
});

export const serverRoutes = [list, server.addChildren([start, general])] as const;
